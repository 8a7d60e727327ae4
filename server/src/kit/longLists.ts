// What the long lists of runs and cases share: words as their index has them, and SQL that keeps the planner on the chosen index.
import { empty, one, part, type Part, type Sql } from '../base/db.ts'

/** The words of a search as the index has them; null: the text has no word to search for. `ownerId` is what the index begins with. */
export async function searchWords(sql: Sql, ownerId: string, text: string): Promise<string | null> {
  const found = await one(sql<{ words: string | null }>`select run_query(${ownerId}, ${text})::text as words`)
  return found.words
}

/**
 * A condition on rows that an index has found. It is a `case`, which the planner can neither use to choose another index nor guess the
 * outcome of. For a plan that fits any values it would guess that next to nothing fits, and then read and sort the whole table.
 */
export const rowCondition = (condition: Part): Part => part`case when ${condition} then true else false end`

const limits: [number, Part][] = [
  [100, part`limit 100`],
  [1000, part`limit 1000`],
  [10_000, part`limit 10000`],
  [100_000, part`limit 100000`],
]

/** A limit of at least this many rows, as a constant: for a parameter the planner expects a tenth of the table. None above `most`. */
export const constantLimit = (rows: number, most: number): Part =>
  limits.find(([max]) => rows <= max && max <= most)?.[1] ?? empty
