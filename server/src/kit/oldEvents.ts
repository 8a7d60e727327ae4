// Erases events that are older than the settings allow: a partition as a whole, and row by row what is in none of those.
import { one, part, type Database, type Part, type Sql } from '../base/db.ts'
import { firstIdAt } from '../base/ids.ts'
import { withShortLock } from '../base/shortLock.ts'
import { dropPartition, erasedByRow, oldPartitions, partitionsOf } from './partitions.ts'

/** The query for the ids of rows of event_batches that must stay, of those that come after `after` and before `past`, both SQL. */
export type KeptEvents = (range: { after: Part; past: Part }) => Part

interface OldEvents {
  days: number
  keeping: KeptEvents[]
  /** Erases what others store about events with smaller ids than `past`, other than those that are kept, in the transaction that drops them. */
  dropped: (sql: Sql, past: string, kept: string[]) => Promise<void>
}

/** Everybody waits while they are copied, so there must not be many. */
const keptMax = 10_000
/** How many ids are read for them: an event has one for each subscription that still has to get it. */
const lookedAtMax = 100_000

/**
 * Drops the partitions that are old enough, and answers with the names of those from which rows are to be erased one by one. If others are busy
 * for too long, the next sweep tries again.
 */
export async function dropOldEvents(db: Database, { days, keeping, dropped }: OldEvents): Promise<string[]> {
  const byRow: string[] = []
  for (const { name, past } of await oldPartitions(db.sql, 'event_batches', days)) {
    const end = past!
    if ((await keptBefore(db.sql, keeping, end)) === undefined) {
      byRow.push(name)
      continue
    }
    await withShortLock(db, async (sql) => {
      await sql`lock table event_batches in access exclusive mode`
      const kept = await keptBefore(sql, keeping, end)
      // they became more since they were counted: the next sweep counts again
      if (kept === undefined) return
      await dropPartition(sql, 'event_batches', name, kept)
      await dropped(sql, end, kept)
    })
  }
  return [...new Set([...byRow, ...erasedByRow('event_batches', await partitionsOf(db.sql, 'event_batches'))])]
}

/**
 * The ids before `past` that are kept; undefined: they are too many. The look under the lock is as short as what it finds.
 */
async function keptBefore(sql: Sql, keeping: KeptEvents[], past: string): Promise<string[] | undefined> {
  const range = { after: part`${noId}::uuid`, past: part`${past}::uuid` }
  const { rows, ids } = await one(sql<{ rows: number; ids: string[] }>`
    select count(*)::int as rows, coalesce(array_agg(distinct k.id), '{}') as ids
    from (select k.id from (${keptIds(keeping, range)}) k (id) limit ${lookedAtMax + 1}::int) k`)
  return rows > lookedAtMax || ids.length > keptMax ? undefined : ids
}

const noId = '00000000-0000-0000-0000-000000000000'
const nobodyKeeps = part`select null::uuid where false`
const keptIds = (keeping: KeptEvents[], range: Parameters<KeptEvents>[0]): Part =>
  keeping.reduce((all, kept) => part`${all} union all (${kept(range)})`, nobodyKeeps)

interface SomeOldEvents extends Pick<OldEvents, 'days' | 'keeping'> {
  /** The partition in which they are looked for. They are erased from the table, which tells others about it. */
  partition: string
  /** Only rows whose id comes after this one. */
  after: string
  max: number
}

/**
 * Erases at most `max` old rows; answers with the last id, or undefined when there are no more. Ids begin with the time, so the oldest are found
 * by the key; the time itself is asked too.
 */
export async function eraseOldEvents(
  sql: Sql,
  { partition, days, after, max, keeping }: SomeOldEvents,
): Promise<string | undefined> {
  const end = firstIdAt(Date.now() - days * 86_400_000)
  // the events of a batch have ids of the same millisecond as the batch
  const afterLast = part`(select overlay(max(id::text) placing '-ffff-ffff-ffffffffffff' from 14)::uuid from old)`
  const range = { after: part`${after}::uuid`, past: afterLast }
  const gone = await one(sql<{ last: string | null; count: number }>`
    with old as materialized (
      select id, created_at from old_events(${partition}, ${after}, ${end}, ${max}::int)
    ),
    kept as materialized (select k.id from (${keptIds(keeping, range)}) k (id)),
    gone as (
      delete from event_batches where id = any(array(
        select id from old where created_at < now() - make_interval(days => ${days}) and id not in (select id from kept)))
    )
    select max(id::text) as last, count(*) as count from old`)
  return gone.count === max ? (gone.last ?? undefined) : undefined
}
