// Counts in pieces: writers append differences, so they never wait for each other's rows. This file folds them; the sum of a key's rows is
// exact at any moment.
import { one, part, type Part, type Sql } from './db.ts'

export interface Counts {
  table: Part
  /** The columns that identify a count. */
  key: Part
  /** The columns that are added up. */
  sums: Part
  /** The same, added up. */
  added: Part
  /** SQL condition: the sum is not zero, so its row stays. */
  isSomething: Part
}

/** For the usual table, with one column that counts. */
export const countsOf = (table: Part, key: Part, column: Part): Counts => ({
  table,
  key,
  sums: column,
  added: part`sum(${column})`,
  isSomething: part`sum(${column}) <> 0`,
})

const rowsAtOnce = 10_000

/** Folds until no count is left in pieces, except those that others are folding. */
export async function foldPieces(sql: Sql, counts: Counts, signal?: AbortSignal): Promise<void> {
  while ((await foldSome(sql, counts)) === rowsAtOnce) signal?.throwIfAborted()
}

/**
 * One statement, which is one transaction: a reader sees the pieces or their sum. Rows are only ever added and taken away, so several may
 * fold at once, each its own; rows that add up to zero disappear. A count over a window, and no join of the table with itself: the planner
 * expects few rows of a table that has just grown, and comparing 20,000 of them with each other took longer than a statement may.
 */
async function foldSome(sql: Sql, { table, key, sums, added, isSomething }: Counts): Promise<number> {
  const folded = await one(sql<{ pieces: number }>`
    with taken as (
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where ctid = any(array(
          select place from (select ctid as place, count(*) over (partition by ${key}) as pieces from ${table}) counted
          where pieces > 1 limit ${rowsAtOnce}))
        for update skip locked))
      returning *
    ),
    kept as (
      insert into ${table} (${key}, ${sums})
      select ${key}, ${added} from taken group by ${key} having ${isSomething}
    )
    select count(*) as pieces from taken`)
  return folded.pieces
}
