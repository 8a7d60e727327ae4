// A workspace: the files that a sandbox holds, as rows that name their bytes. Every function serves many runs at once.
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { postgresBlobs } from '../../drivers/blobs/postgres.ts'
import { workspaceRoot } from './workspacePath.ts'

export interface RunOfTeam {
  id: string
  team_id: string
}

export interface FileWrite {
  run: RunOfTeam
  step: number
  /** As workspacePath gives it, and not the root. */
  path: string
  bytes: Buffer
}

export type FileWritten = { path: string; size_bytes: number; sha256: string } | { refused: string }

/** Writes files in the order given: of two for one path the later one stays, the earlier one is history. */
export async function writeFiles(sql: Sql, writes: FileWrite[]): Promise<FileWritten[]> {
  if (writes.length === 0) return []
  const sandboxes = await sandboxesOf(sql, writes)
  const placed = writes.map((write) => ({ ...write, sandbox_id: sandboxes.get(write.run.id)! }))
  const refusals = await refusalsOf(sql, placed)
  const taken = placed.filter((_, index) => !refusals.has(index))
  const names = await postgresBlobs(sql).put(taken.map(({ bytes }) => bytes))
  await record(sql, taken, names)
  const shaOf = new Map(taken.map((write, index) => [write, names[index]!]))
  return placed.map((write, index) => {
    const refused = refusals.get(index)
    if (refused !== undefined) return { refused }
    return { path: write.path, size_bytes: write.bytes.length, sha256: shaOf.get(write)! }
  })
}

type PlacedWrite = FileWrite & { sandbox_id: string }

/** The sandbox of each run, made where there is none. It stays locked, so that writers of one workspace stand in line. */
async function sandboxesOf(sql: Sql, writes: FileWrite[]): Promise<Map<string, string>> {
  const runs = [...new Map(writes.map(({ run }) => [run.id, run])).values()]
  const rows = await sql<{ id: string; run_id: string }>`
    insert into sandboxes as s (id, team_id, run_id)
    select * from unnest(
      ${runs.map(() => newId())}::uuid[], ${runs.map(({ team_id }) => team_id)}::uuid[],
      ${runs.map(({ id }) => id)}::uuid[])
      as r (id, team_id, run_id) order by r.run_id
    on conflict (run_id) do update set run_id = excluded.run_id where s.team_id = excluded.team_id
    returning s.id, s.run_id`
  return new Map(rows.map(({ id, run_id }) => [run_id, id]))
}

/** `/workspace/a` and `/workspace/a/b` for `/workspace/a/b/c`: what must not be a file. */
function foldersAbove(path: string): string[] {
  const names = path.slice(workspaceRoot.length + 1).split('/')
  return names.slice(1).map((_, index) => [workspaceRoot, ...names.slice(0, index + 1)].join('/'))
}

/** A name is a file or a folder, never both; what cannot be laid out in a real folder is refused. By place in the list. */
async function refusalsOf(sql: Sql, writes: PlacedWrite[]): Promise<Map<number, string>> {
  const above = writes.flatMap((write, place) => foldersAbove(write.path).map((path) => ({ ...write, place, path })))
  const below = writes.map((write, place) => ({ ...write, place }))
  const columns = (list: typeof below) => [
    list.map(({ place }) => place),
    list.map(({ sandbox_id }) => sandbox_id),
    list.map(({ run }) => run.team_id),
    list.map(({ path }) => path),
  ]
  const [abovePlaces, aboveSandboxes, aboveTeams, abovePaths] = columns(above)
  const [places, sandboxIds, teams, paths] = columns(below)
  // 0 is the character after /: between the two lies all that is below a folder
  const found = await sql<{ place: number; path: string; is_above: boolean }>`
    select w.place, f.path, true as is_above
    from unnest(${abovePlaces}::int[], ${aboveSandboxes}::uuid[], ${aboveTeams}::uuid[], ${abovePaths}::text[])
      as w (place, sandbox_id, team_id, path)
    join workspace_files f
      on f.sandbox_id = w.sandbox_id and f.team_id = w.team_id and f.path = w.path and f.until_step is null
    union all
    select w.place, w.path, false
    from unnest(${places}::int[], ${sandboxIds}::uuid[], ${teams}::uuid[], ${paths}::text[])
      as w (place, sandbox_id, team_id, path)
    where exists (
      select from workspace_files f where f.sandbox_id = w.sandbox_id and f.team_id = w.team_id
        and f.path > w.path || '/' and f.path < w.path || '0' and f.until_step is null)`
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

/** Ends the rows that were current and adds the new ones. */
async function record(sql: Sql, writes: PlacedWrite[], sha256s: string[]): Promise<void> {
  const keyOf = ({ sandbox_id, path }: PlacedWrite) => `${sandbox_id} ${path}`
  const firstOfPath = [...new Map(writes.toReversed().map((write) => [keyOf(write), write])).values()]
  await sql`
    update workspace_files f set until_step = w.step
    from unnest(
      ${firstOfPath.map(({ sandbox_id }) => sandbox_id)}::uuid[], ${firstOfPath.map(({ run }) => run.team_id)}::uuid[],
      ${firstOfPath.map(({ path }) => path)}::text[], ${firstOfPath.map(({ step }) => step)}::int[])
      as w (sandbox_id, team_id, path, step)
    where f.sandbox_id = w.sandbox_id and f.team_id = w.team_id and f.path = w.path and f.until_step is null`
  const untilSteps = writes.map((write, index) => {
    return writes.slice(index + 1).find((later) => keyOf(later) === keyOf(write))?.step ?? null
  })
  await sql`
    insert into workspace_files (id, sandbox_id, team_id, path, sha256, size_bytes, from_step, until_step)
    select w.id, w.sandbox_id, w.team_id, w.path, decode(w.sha256, 'hex'), w.size_bytes, w.from_step, w.until_step
    from unnest(
      ${writes.map(() => newId())}::uuid[], ${writes.map(({ sandbox_id }) => sandbox_id)}::uuid[],
      ${writes.map(({ run }) => run.team_id)}::uuid[], ${writes.map(({ path }) => path)}::text[], ${sha256s}::text[],
      ${writes.map(({ bytes }) => bytes.length)}::bigint[], ${writes.map(({ step }) => step)}::int[],
      ${untilSteps}::int[]) as w (id, sandbox_id, team_id, path, sha256, size_bytes, from_step, until_step)`
}

interface WantedPath {
  run: RunOfTeam
  path: string
}

export interface FoundFile {
  path: string
  sha256: string
  size_bytes: number
}

/** The file at each path, as the workspace is now; undefined where there is none. */
export async function findFiles(sql: Sql, wanted: WantedPath[]): Promise<(FoundFile | undefined)[]> {
  const rows = await sql<FoundFile & { n: number }>`
    select w.n, f.path, encode(f.sha256, 'hex') as sha256, f.size_bytes
    from unnest(
      ${wanted.map(({ run }) => run.id)}::uuid[], ${wanted.map(({ run }) => run.team_id)}::uuid[],
      ${wanted.map(({ path }) => path)}::text[]) with ordinality as w (run_id, team_id, path, n)
    join sandboxes s on s.run_id = w.run_id and s.team_id = w.team_id
    join workspace_files f on f.sandbox_id = s.id and f.team_id = s.team_id and f.path = w.path and f.until_step is null`
  const byPlace = new Map(rows.map(({ n, ...file }) => [n - 1, file]))
  return wanted.map((_, index) => byPlace.get(index))
}

export interface FolderEntry {
  name: string
  path: string
  type: 'file' | 'dir'
  /** Of a folder: of all that is below it. */
  size_bytes: number
  modified_at: string
}

/** What is in each folder, one level deep and by name, at most `entriesMax` of it. */
export async function listFolders(sql: Sql, wanted: WantedPath[], entriesMax: number): Promise<FolderEntry[][]> {
  const rows = await sql<Pick<FolderEntry, 'name' | 'type' | 'size_bytes'> & { n: number; modified_at: Date }>`
    select n, name, type, size_bytes, modified_at from (
      select w.n, split_part(substr(f.path, length(w.path) + 2), '/', 1) as name,
        case when bool_or(strpos(substr(f.path, length(w.path) + 2), '/') > 0) then 'dir' else 'file' end as type,
        sum(f.size_bytes)::bigint as size_bytes, max(f.modified_at) as modified_at,
        row_number() over (partition by w.n order by split_part(substr(f.path, length(w.path) + 2), '/', 1)) as place
      from unnest(
        ${wanted.map(({ run }) => run.id)}::uuid[], ${wanted.map(({ run }) => run.team_id)}::uuid[],
        ${wanted.map(({ path }) => path)}::text[]) with ordinality as w (run_id, team_id, path, n)
      join sandboxes s on s.run_id = w.run_id and s.team_id = w.team_id
      join workspace_files f on f.sandbox_id = s.id and f.team_id = s.team_id and f.until_step is null
        and f.path > w.path || '/' and f.path < w.path || '0'
      group by w.n, 2
    ) as entries where place <= ${entriesMax} order by n, place`
  const byPlace = Map.groupBy(rows, ({ n }) => n - 1)
  return wanted.map(({ path }, index) =>
    (byPlace.get(index) ?? []).map(({ name, type, size_bytes, modified_at }) => {
      return { name, path: `${path}/${name}`, type, size_bytes, modified_at: modified_at.toISOString() }
    }),
  )
}
