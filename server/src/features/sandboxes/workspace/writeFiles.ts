// Writes files into workspaces: for tools of many runs at once, and for what callers upload.
import type { Sql } from '../../../base/db.ts'
import type { StoredBlob } from '../../../drivers/blobs/blobs.ts'
import { blobsFor } from '../../../kit/blobs.ts'
import type { Context } from '../../../kit/context.ts'
import { foldersAbove, lockSandboxesOf, recordChanges, type EntryChange, type LockedSandbox } from './changes.ts'
import { quotaProblem, type Refusal } from './quota.ts'
import type { PathIn, RunOfTeam } from './workspace.ts'

export interface FileWrite {
  run: RunOfTeam
  step: number
  /** A path that workspacePath made, and not the root. */
  path: string
  bytes: Buffer
}

type FileWritten = { path: string; size_bytes: number; sha256: string } | { refused: string }

interface PlacedWrite extends PathIn {
  sandbox: LockedSandbox
  step: number
  bytes: Buffer
}

/** In the order given: of two for one path the later one stays, the earlier one is history. */
export async function writeFiles(context: Context, sql: Sql, writes: FileWrite[]): Promise<FileWritten[]> {
  if (writes.length === 0) return []
  const sandboxes = await lockSandboxesOf(
    sql,
    writes.map(({ run }) => run),
  )
  const placed = writes.map(({ run, step, path, bytes }): PlacedWrite => {
    const sandbox = sandboxes.get(run.id)!
    const { sandbox_id, team_id, step_base } = sandbox
    return { sandbox, sandbox_id, team_id, path, bytes, step: step_base + step }
  })
  const refusals = await refusalsOf(sql, placed)
  await refuseOverQuota(context, sql, placed, refusals)
  const taken = placed.filter((_, index) => !refusals.has(index))
  const names = await blobsFor(context, sql).put(taken.map(({ bytes }) => bytes))
  const sha256s = new Map(taken.map((write, index) => [write, names[index]!]))
  if (taken.length > 0) {
    await recordChanges(
      sql,
      taken.map((write) => fileChange(write, { sha256: sha256s.get(write)!, size_bytes: write.bytes.length })),
    )
  }
  return placed.map((write, index) => {
    const refused = refusals.get(index)
    if (refused !== undefined) return { refused }
    return { path: write.path, size_bytes: write.bytes.length, sha256: sha256s.get(write)! }
  })
}

const fileChange = (
  { sandbox_id, team_id, path, step }: PathIn & { step: number },
  { sha256, size_bytes }: StoredBlob,
): EntryChange => ({
  sandbox_id,
  team_id,
  path,
  step,
  entry: { kind: 'file', sha256, size_bytes, is_executable: false },
})

/** Writes one file whose bytes are stored already; returns the refusal if it cannot be at that path. */
export async function writeStoredFile(
  context: Context,
  sql: Sql,
  sandbox: LockedSandbox,
  path: string,
  blob: StoredBlob,
): Promise<Refusal | undefined> {
  const { sandbox_id, team_id, last_step } = sandbox
  const refused = await fileProblem(context, sql, sandbox, { path, bytes: blob.size_bytes })
  if (refused) return refused
  await recordChanges(sql, [fileChange({ sandbox_id, team_id, path, step: last_step }, blob)])
  return undefined
}

/** Why a file of this size cannot be at that path, or undefined. `isAhead`: its bytes are still to come. */
export async function fileProblem(
  context: Context,
  sql: Sql,
  sandbox: LockedSandbox,
  { path, bytes, isAhead = false }: { path: string; bytes: number; isAhead?: boolean },
): Promise<Refusal | undefined> {
  const { sandbox_id, team_id } = sandbox
  const refused = (await refusalsOf(sql, [{ sandbox_id, team_id, path }])).get(0)
  if (refused !== undefined) return { code: 'invalid_request', message: refused }
  return quotaProblem(context, sql, sandbox, { bytes, entries: 1, isAhead })
}

/** All that a sandbox is to take in this transaction counts, each write after those before it. */
async function refuseOverQuota(
  context: Context,
  sql: Sql,
  writes: PlacedWrite[],
  refusals: Map<number, string>,
): Promise<void> {
  const more = new Map<string, { bytes: number; entries: number }>()
  const moreOfTeam = new Map<string, number>()
  for (const [index, { sandbox, bytes }] of writes.entries()) {
    if (refusals.has(index)) continue
    const before = more.get(sandbox.sandbox_id) ?? { bytes: 0, entries: 0 }
    const wanted = { bytes: before.bytes + bytes.length, entries: before.entries + 1 }
    const ofTeam = moreOfTeam.get(sandbox.team_id) ?? 0
    const problem = await quotaProblem(context, sql, sandbox, { ...wanted, ofTeam: ofTeam - before.bytes })
    if (problem) {
      refusals.set(index, problem.message)
      continue
    }
    more.set(sandbox.sandbox_id, wanted)
    moreOfTeam.set(sandbox.team_id, ofTeam + bytes.length)
  }
}

/** A name is a file or a folder, never both; what cannot be laid out in a real folder is refused. The key is the position in the list. */
async function refusalsOf(sql: Sql, writes: PathIn[]): Promise<Map<number, string>> {
  const above = writes.flatMap((write, place) => foldersAbove(write.path).map((path) => ({ ...write, place, path })))
  const below = writes.map((write, place) => ({ ...write, place }))
  const columns = (list: typeof below) => [
    list.map(({ place }) => place),
    list.map(({ sandbox_id }) => sandbox_id),
    list.map(({ team_id }) => team_id),
    list.map(({ path }) => path),
  ]
  const [abovePlaces, aboveSandboxes, aboveTeams, abovePaths] = columns(above)
  const [places, sandboxIds, teams, paths] = columns(below)
  // 0 is the character after /: between the two lies all that is below a folder
  const found = await sql<{ place: number; path: string; is_above: boolean }>`
    select w.place, f.path, true as is_above
    from unnest(${abovePlaces}::int[], ${aboveSandboxes}::uuid[], ${aboveTeams}::uuid[], ${abovePaths}::text[])
      as w (place, sandbox_id, team_id, path)
    join workspace_files f on f.sandbox_id = w.sandbox_id and f.team_id = w.team_id and f.path = w.path
      and f.until_step is null and f.kind <> 'dir'
    union all
    select w.place, w.path, false
    from unnest(${places}::int[], ${sandboxIds}::uuid[], ${teams}::uuid[], ${paths}::text[])
      as w (place, sandbox_id, team_id, path)
    where exists (
      select from workspace_files f where f.sandbox_id = w.sandbox_id and f.team_id = w.team_id and f.until_step is null
        and (f.path > w.path || '/' and f.path < w.path || '0' or f.path = w.path and f.kind = 'dir'))`
  const refusals = new Map(found.map(({ place, path, is_above }) => [place, is_above ? isFile(path) : isFolder(path)]))
  for (const [place, write] of writes.entries()) {
    const earlier = writes.filter((one, index) => {
      return index < place && one.sandbox_id === write.sandbox_id && !refusals.has(index)
    })
    const file = earlier.find(({ path }) => write.path.startsWith(`${path}/`))
    if (file) refusals.set(place, isFile(file.path))
    if (earlier.some(({ path }) => path.startsWith(`${write.path}/`))) refusals.set(place, isFolder(write.path))
  }
  return refusals
}

const isFile = (path: string): string => `${path} is a file, so nothing can be written below it. Choose another path.`
const isFolder = (path: string): string => `${path} is a folder. Write to a file inside it.`
