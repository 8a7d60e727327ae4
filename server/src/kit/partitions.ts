// Tables that are partitioned by the time in their ids: which partitions there are, which one comes next, and which are old (decision 0069).
import { one, part, word, type Database, type Sql } from '../base/db.ts'
import { firstIdAt, timeOfId } from '../base/ids.ts'
import { withShortLock } from '../base/shortLock.ts'

/** Each table by the column that says to which partition a row belongs. */
const keys = { event_batches: 'id', delivery_batches: 'batch_id', audit_log: 'id' }
export type PartitionedTable = keyof typeof keys

interface Partition {
  name: string
  /** The first id that belongs to it; null: there is none before it. */
  first: string | null
  /** The first id that comes after it. */
  past: string | null
  /** It has what belongs to no other: what was kept of one that was dropped, and what was written while nobody had made the next one. */
  is_rest: boolean
}

/** The partitions in their order. None: the table has ids from the future, and was left whole. */
export const partitionsOf = (sql: Sql, table: PartitionedTable): Promise<Partition[]> =>
  sql<Partition>`select name, first, past, is_rest from partitions_of(${table})`

const dayMs = 86_400_000

/**
 * How many days of rows one partition has. A statement that cannot know the time of its rows looks into all of them, so there should be few;
 * and rows stay for as long as the youngest of their partition.
 */
const daysOfPartition = (keptDays: number | null): number =>
  keptDays === null ? 365 : Math.min(Math.max(Math.ceil(keptDays / 4), 1), 31)

/** There is always a partition for the next two days at least, for whatever may keep others from making the next one. */
const aheadMs = 2 * dayMs

/** Makes the next partition of a table if it is time. False: others were busy for too long. */
export async function addPartition(db: Database, table: PartitionedTable, keptDays: number | null): Promise<boolean> {
  const days = daysOfPartition(keptDays)
  const { now } = await one(db.sql<{ now: Date }>`select now() as now`)
  const partitions = await partitionsOf(db.sql, table)
  const last = partitions.findLast(({ past }) => past !== null)?.past
  if (!last || timeOfId(last) > now.getTime() + Math.max(aheadMs, days * dayMs)) return true
  // what is written at this moment may go to the rest, from which nothing is taken back
  const dayAfter = (time: number) => (Math.floor(time / dayMs) + 1) * dayMs
  let first = timeOfId(last) > now.getTime() ? timeOfId(last) : dayAfter(now.getTime())
  for (let newest = await newestOfRest(db.sql, table, first, days); newest !== null;) {
    first = dayAfter(timeOfId(newest))
    newest = await newestOfRest(db.sql, table, first, days)
  }
  const name = `${table}_${new Date(first).toISOString().slice(0, 10).replaceAll('-', '')}`
  return withShortLock(db, async (sql) => {
    await sql`select add_partition(${table}, ${name}, ${firstIdAt(first)}, ${firstIdAt(first + days * dayMs)})`
  })
}

/** The newest id of the rest that would belong to a partition that begins at `first`. */
async function newestOfRest(sql: Sql, table: PartitionedTable, first: number, days: number): Promise<string | null> {
  const key = word(keys[table])
  const range = part`${key} >= ${firstIdAt(first)} and ${key} < ${firstIdAt(first + days * dayMs)}`
  const found = await sql<{ id: string }>`
    select ${key} as id from ${word(`${table}_rest`)} where ${range} order by ${key} desc limit 1`
  return found[0]?.id ?? null
}

const analyzeMaxMs = 10 * 60_000

/**
 * PostgreSQL looks at partitions by itself, but never at what they have together, by which it plans a statement about all of them. A tenth more
 * rows change no plan, twice as many may.
 */
export async function analyzeIfChanged(db: Database, table: PartitionedTable): Promise<void> {
  const { is_changed } = await one(db.sql<{ is_changed: boolean }>`
    select coalesce(sum(greatest(p.reltuples, 0)) not between 0.7 * greatest(max(r.reltuples), 0) and 1.5 * greatest(max(r.reltuples), 0), false)
      as is_changed
    from pg_class r join pg_inherits i on i.inhparent = r.oid join pg_class p on p.oid = i.inhrelid
    where r.oid = to_regclass(${table})`)
  if (!is_changed) return
  await db.transaction(async (sql) => {
    // a sample of every partition is read, while others write
    await sql`select set_config('statement_timeout', ${String(analyzeMaxMs)}, true)`
    await sql`analyze ${word(table)}`
  })
}

/** Ids come from the clocks of processes. A partition is dropped a day later than its ids say, whichever of them was wrong. */
const clocksMs = dayMs

/** The partitions all of whose rows are older than so many days. */
export async function oldPartitions(sql: Sql, table: PartitionedTable, days: number): Promise<Partition[]> {
  const { now } = await one(sql<{ now: Date }>`select now() as now`)
  const end = firstIdAt(now.getTime() - days * dayMs - clocksMs)
  return (await partitionsOf(sql, table)).filter(({ past }) => past !== null && past <= end)
}

/** Drops a partition, except the rows with these keys. The caller's transaction has the table for itself from here on. */
export async function dropPartition(sql: Sql, table: PartitionedTable, name: string, kept: string[]): Promise<void> {
  await sql`select drop_partition(${table}, ${name}, ${keys[table]}, ${kept}::uuid[])`
}

/**
 * The names of the partitions from which rows are erased one by one: what was there before the table was partitioned, and the rest. The others
 * are dropped when they are old, and not emptied while they grow old. A table without partitions stands for itself.
 */
export function erasedByRow(table: PartitionedTable, partitions: Partition[]): string[] {
  return partitions.length === 0 ? [table] : partitions.filter(({ first }) => first === null).map(({ name }) => name)
}
