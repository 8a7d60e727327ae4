// Records what a command changed in its workspace, in the transaction that records the command itself.
import type { Sql } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import { CannotSave, type WrittenFile } from '../../../kit/tool.ts'
import { foldersAbove, recordChanges, type LockedSandbox } from '../workspace/changes.ts'
import { contentTypeOf } from '../../../base/contentType.ts'
import type { PathChange } from '../workspace/workspaceFolder.ts'
import { quotaProblem } from '../workspace/quota.ts'
import type { CommandOutcome } from './openSandbox.ts'
import type { WorkspaceRef } from '../workspace/workspace.ts'

export async function saveChanges(
  context: Context,
  sql: Sql,
  sandbox: LockedSandbox,
  step: number,
  { changes, version, proposed }: CommandOutcome,
): Promise<void> {
  if (changes.length === 0) return
  const { sandbox_id, team_id } = sandbox
  const added = changes.filter(({ entry }) => entry !== null)
  const bytes = added.reduce((sum, { entry }) => sum + (entry?.kind === 'file' ? entry.size_bytes : 0), 0)
  const fresh = added.filter(({ wasThere }) => !wasThere).length
  const gone = changes.length - added.length
  const problem = await quotaProblem(context, sql, sandbox, { bytes, entries: fresh - gone })
  if (problem !== undefined) throw new CannotSave(`What the command wrote is not saved. ${problem.message}`)
  // others may have written files while the command ran: if both cannot exist, the command's files win
  const isAlone = sandbox.version === version
  const clashes = isAlone ? [] : await clashesWith(sql, sandbox, added)
  const all = [...clashes.map((path) => ({ path, entry: null })), ...changes]
  const versions = await recordChanges(
    sql,
    all.map(({ path, entry }) => ({ sandbox_id, team_id, path, step, entry })),
  )
  if (isAlone) proposed(versions.get(sandbox_id)!)
}

/** Files where these need a folder, and what is below those that are files. */
async function clashesWith(sql: Sql, { sandbox_id, team_id }: WorkspaceRef, added: PathChange[]): Promise<string[]> {
  const above = [...new Set(added.flatMap(({ path }) => foldersAbove(path)))]
  const files = added.filter(({ entry }) => entry?.kind !== 'dir').map(({ path }) => path)
  const rows = await sql<{ path: string }>`
    select path from workspace_files
    where sandbox_id = ${sandbox_id} and team_id = ${team_id} and until_step is null and kind <> 'dir' and path = any(${above})
    union
    select f.path from unnest(${files}::text[]) as w (path) join workspace_files f
      on f.sandbox_id = ${sandbox_id} and f.team_id = ${team_id} and f.until_step is null
      and f.path > w.path || '/' and f.path < w.path || '0'`
  return rows.map(({ path }) => path)
}

/** The files that `run.file.created` reports. Links and folders have no content to report. */
export const writtenFiles = (changes: PathChange[]): WrittenFile[] =>
  changes.flatMap(({ path, entry }) =>
    entry?.kind === 'file'
      ? [{ path, size_bytes: entry.size_bytes, sha256: entry.sha256, content_type: contentTypeOf(path) }]
      : [],
  )
