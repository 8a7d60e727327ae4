// Long lists by words: few hits are gathered and sorted, frequent words are met while walking through the list.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { cutOf, directionOf, type ListPage } from './indexPath.ts'

/** How many hits of words are gathered; of more frequent words the list is walked through. */
export const hitsMax = 5000

/** The words of a search as the index has them; null: the text has no word to search for. `ownerId` is what the index begins with. */
export async function searchWords(sql: Sql, ownerId: string, text: string): Promise<string | null> {
  const found = await one(sql<{ words: string | null }>`select run_query(${ownerId}, ${text})::text as words`)
  return found.words
}

export interface Gathering {
  /** A function that gives what has the words, `hitsMax + 1` at most. */
  hits: Part
  /** A `select` with a `where`: what fits of these, which are called `hit`. */
  fitting: Part
  /** The order of what `fitting` gives. */
  order: Part
}

interface Hits {
  ids: string[]
  total: number
}

/** Undefined: there are more hits than are gathered. */
export async function fewHits(
  sql: Sql,
  { hits, fitting, order }: Gathering,
  page: ListPage,
): Promise<Hits | undefined> {
  const found = await one(sql<{ hits: number; total: number; ids: string[] }>`
    with hit as materialized (select * from ${hits}),
    fit as materialized (${fitting} and (select count(*) from hit) <= ${hitsMax})
    select (select count(*) from hit) as hits, (select count(*) from fit) as total,
      array(select id from fit order by ${order} ${cutOf(page)}) as ids`)
  return found.hits > hitsMax ? undefined : found
}

export interface WordRows {
  /** What stands after `from`: the words of everything in the filter's time, in a table called `s`. */
  rows: Part
  id: Part
  /** A tsquery, as text. */
  words: string
  /** How many rows a page walks through, as a constant limit: the words may all lie far back. */
  walkMax: Part
}

/** A page of frequent words alone, by creation: first near the beginning of the list, where they mostly are, and then among all hits. */
export async function frequentHits<Row>(
  read: (ids: Part) => Promise<Row[]>,
  { rows, id, words, walkMax }: WordRows,
  total: number,
  page: ListPage,
): Promise<Row[]> {
  const to = directionOf(page)
  const order = part`order by s.created_at ${to}, ${id} ${to}`
  const near = await read(part`
    select id from (select ${id} as id, s.words from ${rows} ${order} ${walkMax}) near
    where words @@ ${words}::tsquery ${cutOf(page)}`)
  if (near.length === Math.min(page.limit, total - page.offset)) return near
  return read(part`select ${id} as id from ${rows} and s.words @@ ${words}::tsquery ${order} ${cutOf(page)}`)
}
