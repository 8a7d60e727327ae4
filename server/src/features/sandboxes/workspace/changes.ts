// Changes of workspaces: rows that were current get an end, new ones begin. Many sandboxes at once, in the caller's transaction.
import { part, type Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { workspaceRoot } from './workspacePath.ts'
import type { WorkspaceEntry, WorkspaceRef, RunOfTeam } from './workspace.ts'

/** A sandbox whose row this transaction has locked, so that changes come one after the other. */
export interface LockedSandbox extends WorkspaceRef {
  step_base: number
  last_step: number
  kept_bytes: number
  history_bytes: number
  entries: number
  version: string
}

export const lockedColumns = part`
  s.id as sandbox_id, s.team_id, s.step_base, s.last_step, s.kept_bytes, s.history_bytes, s.entries, s.version`

/** The sandbox of each run; it is made if there is none. */
export async function lockSandboxesOf(sql: Sql, wanted: RunOfTeam[]): Promise<Map<string, LockedSandbox>> {
  const runs = [...new Map(wanted.map((run) => [run.id, run])).values()]
  const rows = await sql<LockedSandbox & { run_id: string }>`
    insert into sandboxes as s (id, team_id, run_id)
    select * from unnest(
      ${runs.map(() => newId())}::uuid[], ${runs.map(({ team_id }) => team_id)}::uuid[],
      ${runs.map(({ id }) => id)}::uuid[])
      as r (id, team_id, run_id) order by r.run_id
    on conflict (run_id) do update set run_id = excluded.run_id where s.team_id = excluded.team_id
    returning s.run_id, ${lockedColumns}`
  return new Map(rows.map(({ run_id, ...sandbox }) => [run_id, sandbox]))
}

export interface EntryChange extends WorkspaceRef {
  path: string
  /** The step as the sandbox counts, over all its runs. */
  step: number
  /** What is there from now on; null: nothing. */
  entry: WorkspaceEntry | null
}

/** `/workspace/a` and `/workspace/a/b` for `/workspace/a/b/c`: what must not be a file. */
export function foldersAbove(path: string): string[] {
  const names = path.slice(workspaceRoot.length + 1).split('/')
  return names.slice(1).map((_, index) => [workspaceRoot, ...names.slice(0, index + 1)].join('/'))
}

/**
 * Records changes in the order given: of two changes at one path the later one stays, and the earlier one becomes history. Returns the new
 * versions.
 */
export async function recordChanges(sql: Sql, changes: EntryChange[]): Promise<Map<string, string>> {
  const keyOf = ({ sandbox_id, path }: EntryChange) => `${sandbox_id} ${path}`
  const firsts = [...new Map(changes.toReversed().map((change) => [keyOf(change), change])).values()]
  const ended = await sql<Ended>`
    update workspace_files f set until_step = w.step
    from unnest(
      ${firsts.map(({ sandbox_id }) => sandbox_id)}::uuid[], ${firsts.map(({ team_id }) => team_id)}::uuid[],
      ${firsts.map(({ path }) => path)}::text[], ${firsts.map(({ step }) => step)}::int[])
      as w (sandbox_id, team_id, path, step)
    where f.sandbox_id = w.sandbox_id and f.team_id = w.team_id and f.path = w.path and f.until_step is null
    returning f.sandbox_id, octet_length(f.path) + coalesce(octet_length(f.link_target), 0) as name_bytes`
  const nextOf = new Map<string, number>()
  const rows = changes.toReversed().flatMap((change) => {
    const until = nextOf.get(keyOf(change)) ?? null
    nextOf.set(keyOf(change), change.step)
    return change.entry === null ? [] : [rowOf(change, change.entry, until)]
  })
  await insertEntries(sql, rows)
  return renewVersions(sql, changes, rows, ended)
}

interface NewRow extends WorkspaceRef {
  path: string
  kind: WorkspaceEntry['kind']
  sha256: string | null
  size_bytes: number
  is_executable: boolean
  link_target: string | null
  from_step: number
  until_step: number | null
}

function rowOf(
  { sandbox_id, team_id, path, step }: EntryChange,
  entry: WorkspaceEntry,
  until_step: number | null,
): NewRow {
  const nothing = { sha256: null, size_bytes: 0, is_executable: false, link_target: null }
  return { sandbox_id, team_id, path, from_step: step, until_step, ...nothing, ...entry }
}

async function insertEntries(sql: Sql, rows: NewRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into workspace_files (id, sandbox_id, team_id, path, kind, sha256, size_bytes, is_executable, link_target, from_step, until_step)
    select w.id, w.sandbox_id, w.team_id, w.path, w.kind, decode(w.sha256, 'hex'), w.size_bytes, w.is_executable, w.link_target,
      w.from_step, w.until_step
    from unnest(
      ${rows.map(() => newId())}::uuid[], ${rows.map(({ sandbox_id }) => sandbox_id)}::uuid[],
      ${rows.map(({ team_id }) => team_id)}::uuid[], ${rows.map(({ path }) => path)}::text[],
      ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ sha256 }) => sha256)}::text[],
      ${rows.map(({ size_bytes }) => size_bytes)}::bigint[], ${rows.map(({ is_executable }) => is_executable)}::boolean[],
      ${rows.map(({ link_target }) => link_target)}::text[], ${rows.map(({ from_step }) => from_step)}::int[],
      ${rows.map(({ until_step }) => until_step)}::int[])
      as w (id, sandbox_id, team_id, path, kind, sha256, size_bytes, is_executable, link_target, from_step, until_step)`
}

/** A row that is history from now on. */
interface Ended {
  sandbox_id: string
  /** Its path, and where a link leads. */
  name_bytes: number
}

/** A row of history takes about this much with its entries in four indexes, beside its path. Without it a sandbox could have any number of them for nothing. */
const historyRowBytes = 1024

const nameBytes = ({ path, link_target }: NewRow): number =>
  Buffer.byteLength(path) + (link_target === null ? 0 : Buffer.byteLength(link_target))

/** A version of its own for each sandbox that changed. */
async function renewVersions(
  sql: Sql,
  changes: EntryChange[],
  rows: NewRow[],
  ended: Ended[],
): Promise<Map<string, string>> {
  const sandboxes = [...Map.groupBy(changes, ({ sandbox_id }) => sandbox_id)].map(([sandbox_id, own]) => {
    const added = rows.filter((row) => row.sandbox_id === sandbox_id)
    const current = added.filter(({ until_step }) => until_step === null).length
    const endedHere = ended.filter((one) => one.sandbox_id === sandbox_id)
    const history = [
      ...endedHere.map(({ name_bytes }) => name_bytes),
      ...added.filter(({ until_step }) => until_step !== null).map(nameBytes),
    ]
    return {
      sandbox_id,
      team_id: own[0]!.team_id,
      version: newId(),
      bytes: added.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
      history: history.reduce((sum, bytes) => sum + bytes + historyRowBytes, 0),
      entries: current - endedHere.length,
      step: Math.max(...own.map(({ step }) => step)),
    }
  })
  await sql`
    update sandboxes s set version = w.version, kept_bytes = s.kept_bytes + w.bytes, history_bytes = s.history_bytes + w.history,
      entries = s.entries + w.entries, last_step = greatest(s.last_step, w.step)
    from unnest(
      ${sandboxes.map(({ sandbox_id }) => sandbox_id)}::uuid[], ${sandboxes.map(({ team_id }) => team_id)}::uuid[],
      ${sandboxes.map(({ version }) => version)}::uuid[], ${sandboxes.map(({ bytes }) => bytes)}::bigint[],
      ${sandboxes.map(({ history }) => history)}::bigint[],
      ${sandboxes.map(({ entries }) => entries)}::int[], ${sandboxes.map(({ step }) => step)}::int[])
      as w (sandbox_id, team_id, version, bytes, history, entries, step)
    where s.id = w.sandbox_id and s.team_id = w.team_id`
  return new Map(sandboxes.map(({ sandbox_id, version }) => [sandbox_id, version]))
}
