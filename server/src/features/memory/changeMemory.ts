// The one way to change memory: any number of changes of any agents, decided in their order. Changes of one transaction that nothing comes
// between are one write.
import { mustHave } from '../../base/mustHave.ts'
import { isOfTransaction, writeBeforeNext, type Sql } from '../../base/db.ts'
import { contentBytesMax, filesMax, storeBytesMax } from './memoryFile.ts'

export type MemoryChange = {
  team_id: string
  agent_id: string
  path: string
  /** The generation that the file must have; 0: there must be none. */
  expected_generation?: number
  /** The run that makes the change; null: a person. */
  source_run_id: string | null
} & ({ kind: 'write' | 'append'; content: string } | { kind: 'delete' })

export interface Changed {
  path: string
  generation: number
  size_bytes: number
  updated_at: Date
}

interface Refused {
  refused: 'not_found' | 'conflict' | 'invalid_request'
  message: string
}

/** An agent's memory as it stands under its lock, and then after each change that was decided. */
interface Store {
  team_id: string
  memory_enabled: boolean
  files: number
  size_bytes: number
  generation_base: number
  updated_at: Date
  heads: Map<string, Head>
  /** Every file of the store is among the heads. */
  hasAllHeads: boolean
  /** The changes that are decided and not written yet, by path. */
  edits: Map<string, Edit>
}

interface Head {
  generation: number
  size_bytes: number
}

/** What becomes of a path in the end; null: it is deleted. */
type Edit = { content: string; keeps_old: boolean; generation: number; source_run_id: string | null } | null

/**
 * Each change sees the result of the ones before it. A refused change has no effect and does not stop the others. `sql` is that of a
 * transaction.
 */
export async function changeMemory(sql: Sql, changes: MemoryChange[]): Promise<(Changed | Refused)[]> {
  const stores = await storesFor(sql, changes)
  const outcomes = changes.map((change) => decide(stores.get(change.agent_id), change))
  await writeBeforeNext(sql, () => writeEdits(sql, stores))
  return outcomes
}

/** The stores that a transaction has locked. Nobody else can change them until it ends, so what it knows of them stays true. */
const lockedBy = new WeakMap<Sql, Map<string, Store>>()

async function storesFor(sql: Sql, changes: MemoryChange[]): Promise<Map<string, Store>> {
  const known = lockedBy.get(sql)
  const isKnown = ({ agent_id, path }: MemoryChange) => {
    const store = known?.get(agent_id)
    return store !== undefined && (store.hasAllHeads || store.heads.has(path))
  }
  if (known && changes.every(isKnown)) return known
  const first = await lockStores(sql, changes)
  const { stores } = first.isStale ? await lockStores(sql, changes) : first
  if (isOfTransaction(sql)) lockedBy.set(sql, new Map([...(known ?? []), ...stores]))
  return stores
}

/** A store with few files is read with the heads of all of them: the next change of the transaction is mostly of another one. */
const headsMax = 50

interface LockedRow extends Omit<Store, 'heads' | 'edits' | 'hasAllHeads'> {
  agent_id: string
  is_stale: boolean
  heads: (Head & { path: string })[]
}

/**
 * Locks the stores, in the order of their ids so that two batches cannot wait for each other, and reads the paths in
 * question. A statement that had to wait for a lock reads what was there before it waited: stale, if somebody changed it
 * since then. A second statement waits for nobody, so what it reads is right.
 */
async function lockStores(
  sql: Sql,
  changes: MemoryChange[],
): Promise<{ stores: Map<string, Store>; isStale: boolean }> {
  const agents = new Map(changes.map(({ agent_id, team_id }) => [agent_id, team_id]))
  const rows = await sql<LockedRow>`
    with named as (
      select * from unnest(${[...agents.keys()]}::uuid[], ${[...agents.values()]}::uuid[]) as n (agent_id, team_id)
    ), seen as (
      select agent_id, s.changes from memory_stores s join named using (agent_id, team_id)
    ), locked as (
      insert into memory_stores as s (agent_id, team_id)
      select a.id, a.team_id from agents a join named n on n.agent_id = a.id and n.team_id = a.team_id
      where a.deleted_at is null order by a.id
      on conflict (agent_id) do update set changes = s.changes
      returning s.agent_id, s.team_id, s.files, s.size_bytes, s.generation_base, s.changes
    )
    select l.agent_id, l.team_id, l.files, l.size_bytes, l.generation_base, a.memory_enabled, now()::timestamptz(3) as updated_at,
      coalesce(seen.changes, 0) <> l.changes as is_stale,
      (select coalesce(json_agg(f), '[]') from (
        select path, generation, size_bytes from memory_files
        where agent_id = l.agent_id and team_id = l.team_id and l.files <= ${headsMax}
        union all
        select path, generation, size_bytes from memory_files
        where agent_id = l.agent_id and team_id = l.team_id and l.files > ${headsMax} and path in (
          select p.path
          from unnest(${changes.map(({ agent_id }) => agent_id)}::uuid[], ${changes.map(({ path }) => path)}::text[])
            as p (agent_id, path)
          where p.agent_id = l.agent_id)) as f) as heads
    from locked l join agents a on a.id = l.agent_id left join seen on seen.agent_id = l.agent_id`
  const stores = rows.map(({ heads, ...row }): [string, Store] => [
    row.agent_id,
    {
      ...row,
      heads: new Map(heads.map((head) => [head.path, head])),
      hasAllHeads: row.files <= headsMax,
      edits: new Map(),
    },
  ])
  return { stores: new Map(stores), isStale: rows.some(({ is_stale }) => is_stale) }
}

function decide(store: Store | undefined, change: MemoryChange): Changed | Refused {
  const { path, kind, expected_generation: expected, source_run_id } = change
  if (!store) return { refused: 'not_found', message: 'The agent was deleted, and its memory with it.' }
  if (source_run_id !== null && !store.memory_enabled) return { refused: 'conflict', message: memoryIsOff }
  const head = store.heads.get(path)
  if (kind === 'delete' && !head) return { refused: 'not_found', message: noFileAt(path) }
  if (expected !== undefined && expected !== (head?.generation ?? 0)) return staleness(path, expected, head)

  if (change.kind === 'delete') {
    const { generation, size_bytes } = mustHave(head, 'the file to delete')
    store.files -= 1
    store.size_bytes -= size_bytes
    store.generation_base = Math.max(store.generation_base, generation)
    store.heads.delete(path)
    store.edits.set(path, null)
    return { path, generation, size_bytes: 0, updated_at: store.updated_at }
  }

  const isAppended = change.kind === 'append' && head !== undefined
  const size_bytes = Buffer.byteLength(change.content) + (isAppended ? head.size_bytes : 0)
  const refusal = unstorable(change.content) ?? overLimit(store, head, size_bytes)
  if (refusal) return refusal
  const generation = (head?.generation ?? store.generation_base) + 1
  const earlier = isAppended ? (store.edits.get(path) ?? { content: '', keeps_old: true }) : undefined
  store.files += head ? 0 : 1
  store.size_bytes += size_bytes - (head?.size_bytes ?? 0)
  store.heads.set(path, { generation, size_bytes })
  store.edits.set(path, {
    content: (earlier?.content ?? '') + change.content,
    keeps_old: earlier?.keeps_old ?? false,
    generation,
    source_run_id,
  })
  return { path, generation, size_bytes, updated_at: store.updated_at }
}

export const memoryIsOff =
  'the memory of this agent is switched off; it can be switched on by setting memory_enabled of the agent to true'

export const noFileAt = (path: string): string => `there is no memory file ${JSON.stringify(path)}`

function staleness(path: string, expected: number, head: Head | undefined): Refused {
  const now = head ? `is at generation ${head.generation}` : 'does not exist'
  const wanted = expected === 0 ? 'was expected not to exist' : `was expected at generation ${expected}`
  return { refused: 'conflict', message: `${path} ${now} and ${wanted}. Read it again and make the change to that.` }
}

/** PostgreSQL text holds no NUL, and a lone surrogate is not a character. */
function unstorable(content: string): Refused | undefined {
  if (!content.includes('\0') && content.isWellFormed()) return undefined
  return {
    refused: 'invalid_request',
    message: 'The content holds a NUL or half of a surrogate pair, which cannot be stored. Leave it out.',
  }
}

function overLimit(store: Store, head: Head | undefined, size_bytes: number): Refused | undefined {
  if (size_bytes > contentBytesMax) {
    const message = `The content would have ${size_bytes} bytes; a memory file has at most ${contentBytesMax}. Split it.`
    return { refused: 'invalid_request', message }
  }
  if (!head && store.files >= filesMax) {
    return {
      refused: 'conflict',
      message: `The agent has ${filesMax} memory files, the most there may be. Delete one first.`,
    }
  }
  const total = store.size_bytes - (head?.size_bytes ?? 0) + size_bytes
  if (total <= storeBytesMax) return undefined
  const message = `The agent’s memory would have ${total} bytes; it has at most ${storeBytesMax}. Delete or shorten files first.`
  return { refused: 'conflict', message }
}

async function writeEdits(sql: Sql, stores: Map<string, Store>): Promise<void> {
  const touched = [...stores].filter(([, { edits }]) => edits.size > 0)
  if (touched.length === 0) return
  const edits = touched.flatMap(([agent_id, store]) =>
    [...store.edits].map(([path, edit]) => ({ agent_id, team_id: store.team_id, path, edit })),
  )
  const written = edits.flatMap(({ edit, ...one }) => (edit === null ? [] : [{ ...one, edit }]))
  const deleted = edits.filter(({ edit }) => edit === null)
  await sql`
    with removed as (
      delete from memory_files f
      using unnest(
        ${deleted.map(({ agent_id }) => agent_id)}::uuid[], ${deleted.map(({ team_id }) => team_id)}::uuid[],
        ${deleted.map(({ path }) => path)}::text[]) as d (agent_id, team_id, path)
      where f.agent_id = d.agent_id and f.team_id = d.team_id and f.path = d.path
    ), counted as (
      update memory_stores s set files = c.files, size_bytes = c.size_bytes, generation_base = c.generation_base,
        changes = s.changes + 1
      from unnest(
        ${touched.map(([agentId]) => agentId)}::uuid[], ${touched.map(([, { team_id }]) => team_id)}::uuid[],
        ${touched.map(([, { files }]) => files)}::int[], ${touched.map(([, store]) => store.size_bytes)}::bigint[],
        ${touched.map(([, store]) => store.generation_base)}::bigint[])
        as c (agent_id, team_id, files, size_bytes, generation_base)
      where s.agent_id = c.agent_id and s.team_id = c.team_id
    )
    insert into memory_files as f (agent_id, team_id, path, content, generation, source_type, source_run_id)
    select w.agent_id, w.team_id, w.path, case when w.keeps_old then old.content || w.content else w.content end,
      w.generation, case when w.source_run_id is null then 'user' else 'run' end, w.source_run_id
    from unnest(
      ${written.map(({ agent_id }) => agent_id)}::uuid[], ${written.map(({ team_id }) => team_id)}::uuid[],
      ${written.map(({ path }) => path)}::text[], ${written.map(({ edit }) => edit.content)}::text[],
      ${written.map(({ edit }) => edit.keeps_old)}::boolean[], ${written.map(({ edit }) => edit.generation)}::bigint[],
      ${written.map(({ edit }) => edit.source_run_id)}::uuid[])
      as w (agent_id, team_id, path, content, keeps_old, generation, source_run_id)
    left join memory_files old
      on w.keeps_old and old.agent_id = w.agent_id and old.team_id = w.team_id and old.path = w.path
    on conflict (agent_id, path) do update set content = excluded.content, generation = excluded.generation,
      source_type = excluded.source_type, source_run_id = excluded.source_run_id, updated_at = now()`
  for (const [, store] of touched) store.edits.clear()
}
