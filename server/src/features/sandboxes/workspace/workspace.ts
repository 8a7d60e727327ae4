// A workspace as it is now: which files, links and empty folders a sandbox holds. Every reader serves many sandboxes at once.
import type { Sql } from '../../../base/db.ts'
import { workspaceRoot } from './workspacePath.ts'

/** A sandbox as statements find it: never by its id alone. */
export interface WorkspaceRef {
  sandbox_id: string
  team_id: string
}

export type PathIn = WorkspaceRef & { path: string }

export interface RunOfTeam {
  id: string
  team_id: string
}

/** The workspace of each run that has one. */
export async function workspacesOf(sql: Sql, runs: RunOfTeam[]): Promise<Map<string, WorkspaceRef>> {
  const rows = await sql<{ run_id: string; sandbox_id: string; team_id: string }>`
    select s.run_id, s.id as sandbox_id, s.team_id
    from unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ team_id }) => team_id)}::uuid[]) as w (run_id, team_id)
    join sandboxes s on s.run_id = w.run_id and s.team_id = w.team_id`
  return new Map(rows.map(({ run_id, ...place }) => [run_id, place]))
}

export interface FoundFile {
  path: string
  sha256: string
  size_bytes: number
  modified_at: Date
}

/** The file at each path; undefined where there is none, and where a link is: nothing is read through one. */
export async function findFiles(sql: Sql, wanted: (PathIn | undefined)[]): Promise<(FoundFile | undefined)[]> {
  const rows = await sql<FoundFile & { n: number }>`
    select w.n, f.path, encode(f.sha256, 'hex') as sha256, f.size_bytes, f.modified_at
    from unnest(
      ${wanted.map((one) => one?.sandbox_id)}::uuid[], ${wanted.map((one) => one?.team_id)}::uuid[],
      ${wanted.map((one) => one?.path)}::text[]) with ordinality as w (sandbox_id, team_id, path, n)
    join workspace_files f on f.sandbox_id = w.sandbox_id and f.team_id = w.team_id and f.path = w.path
      and f.until_step is null and f.kind = 'file'`
  const byPlace = new Map(rows.map(({ n, ...file }) => [n - 1, file]))
  return wanted.map((_, index) => byPlace.get(index))
}

interface FolderEntry {
  name: string
  path: string
  type: 'file' | 'dir'
  /** The size of a folder is that of everything below it. */
  size_bytes: number
  modified_at: string
}

/** What is in each folder, one level deep and by name, at most `entriesMax` of it; undefined: there is no such folder. */
export async function listFolders(
  sql: Sql,
  wanted: (PathIn | undefined)[],
  entriesMax: number,
): Promise<(FolderEntry[] | undefined)[]> {
  // 0 is the character after /: between the two lies all that is below a folder
  const rows = await sql<Pick<FolderEntry, 'type' | 'size_bytes'> & { n: number; name: string; modified_at: Date }>`
    select n, name, type, size_bytes, modified_at from (
      select w.n, split_part(substr(f.path, length(w.path) + 2), '/', 1) as name,
        case when bool_or(f.kind = 'dir' or strpos(substr(f.path, length(w.path) + 2), '/') > 0) then 'dir' else 'file' end as type,
        sum(f.size_bytes)::bigint as size_bytes, max(f.modified_at) as modified_at,
        row_number() over (partition by w.n order by split_part(substr(f.path, length(w.path) + 2), '/', 1)) as place
      from unnest(
        ${wanted.map((one) => one?.sandbox_id)}::uuid[], ${wanted.map((one) => one?.team_id)}::uuid[],
        ${wanted.map((one) => one?.path)}::text[]) with ordinality as w (sandbox_id, team_id, path, n)
      join workspace_files f on f.sandbox_id = w.sandbox_id and f.team_id = w.team_id and f.until_step is null
        and f.kind <> 'link' and (f.path > w.path || '/' and f.path < w.path || '0' or f.path = w.path and f.kind = 'dir')
      group by w.n, 2
    ) as entries where place <= ${entriesMax}::int + 1 order by n, place`
  const byPlace = Map.groupBy(rows, ({ n }) => n - 1)
  return wanted.map((one, index) => {
    const found = byPlace.get(index)
    if (!found || !one) return one?.path === workspaceRoot ? [] : undefined
    // the folder's own row has no name below itself
    const inside = found.filter(({ name }) => name !== '').slice(0, entriesMax)
    return inside.map(({ name, type, size_bytes, modified_at }) => {
      return { name, path: `${one.path}/${name}`, type, size_bytes, modified_at: modified_at.toISOString() }
    })
  })
}

/** What stands at a path. A folder that holds something needs no row: its files say that it is there. */
export type WorkspaceEntry =
  | { kind: 'file'; sha256: string; size_bytes: number; is_executable: boolean }
  | { kind: 'dir' }
  | { kind: 'link'; link_target: string }

export type Manifest = Map<string, WorkspaceEntry>

interface EntryRow {
  path: string
  kind: WorkspaceEntry['kind']
  sha256: string
  size_bytes: number
  is_executable: boolean
  link_target: string
}

/** All of a workspace, and its version: read in one statement, so that they belong together. */
export async function readManifest(
  sql: Sql,
  { sandbox_id, team_id }: WorkspaceRef,
): Promise<{ version: string; manifest: Manifest }> {
  const rows = await sql<EntryRow & { version: string }>`
    select s.version, f.path, f.kind, encode(f.sha256, 'hex') as sha256, f.size_bytes, f.is_executable, f.link_target
    from sandboxes s left join workspace_files f on f.sandbox_id = s.id and f.team_id = s.team_id and f.until_step is null
    where s.id = ${sandbox_id} and s.team_id = ${team_id}`
  const [first] = rows
  if (!first) throw new Error(`the sandbox ${sandbox_id} is gone`)
  const entries = rows.filter(({ path }) => path !== null)
  return { version: first.version, manifest: new Map(entries.map((row) => [row.path, entryOf(row)])) }
}

function entryOf({ kind, sha256, size_bytes, is_executable, link_target }: EntryRow): WorkspaceEntry {
  if (kind === 'dir') return { kind }
  return kind === 'link' ? { kind, link_target } : { kind, sha256, size_bytes, is_executable }
}
