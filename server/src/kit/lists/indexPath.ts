// Index paths through a long list, as values: how all that fit are counted on one, and which of them gives a page at the least cost.
import { empty, one, part, word, type Part, type Sql } from '../../base/db.ts'

/** A page as a query asks for it. */
export interface ListPage<Sort extends string = string> {
  /** A column of what is listed. */
  sort_by: Sort
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
}

/** An index that a list can follow, and what it gives. */
export interface IndexPath {
  /** The index is followed in one range for each value of this array; `rows` calls it `range.value`. Undefined: in one range. */
  ranges?: Part
  /** How many ranges there are. */
  rangeCount?: number
  /** What stands after `from`: the rows of a range that fit. */
  rows: Part
  /** What is read of a row: the id of what is listed, and a column of it by its name. */
  id: Part
  column: (name: string) => Part
  /** The rows of a range are in the order of this column. */
  order: string
  /** Several ranges may have the same row. */
  repeats?: boolean
  /** About how many rows lie on the path, and how many at most. */
  length: number
  lengthMax: number
  /** The index alone shows that a row fits: the row is not looked at. */
  isWhole: boolean
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

/** A limit of at least this many rows, as a constant: for a parameter the planner expects a tenth of the table. */
const constantLimit = (rows: number): Part => limits.find(([max]) => rows <= max)?.[1] ?? empty

const inEachRange = ({ ranges, repeats }: IndexPath, rows: Part): Part =>
  ranges === undefined
    ? rows
    : part`select ${repeats ? part`distinct` : empty} f.* from unnest(${ranges}) as range (value), lateral (${rows}) f`

/**
 * Gives these columns of every row on a path. Nobody needs the order or the limit (`atMost`): they only make sure that no plan leaves the path. One whose index lacks the time of
 * creation may be left, if nothing else is asked: the filter's time can be the shorter way.
 */
export function everyRow(path: IndexPath, columns: Part, atMost: Part): Part {
  const isFree = path.isWhole && path.order !== 'created_at'
  const order = isFree ? empty : part`order by ${path.column(path.order)}, ${path.id}`
  return inEachRange(path, part`select ${columns} from ${path.rows} ${order} ${atMost} offset 0`)
}

/** The number that a statement counts, such as that of `countOn`. */
export async function totalOf(sql: Sql, statement: Part): Promise<number> {
  const counted = await one(sql<{ total: number }>`${statement}`)
  return counted.total
}

/** The statement that counts all that fit on a path. */
export const countOn = (path: IndexPath): Part => part`
  select count(*) as total from (${everyRow(path, part`${path.id} as id`, empty)}) counted`

export const directionOf = ({ sort_order }: ListPage): Part => word(sort_order)
export const cutOf = ({ limit, offset }: ListPage): Part => part`limit ${limit} offset ${offset}`
const sorted = (page: ListPage): Part => part`order by key ${directionOf(page)}, id ${directionOf(page)} ${cutOf(page)}`

/** The ids of a page in the path's own order: the first of each range, merged, since no more of any can be on the page. */
export function idsInOrder(path: IndexPath, page: ListPage): Part {
  const [key, to, last] = [path.column(path.order), directionOf(page), page.limit + page.offset]
  const walk = part`(
    select ${path.id} as id, ${key} as key from ${path.rows} order by ${key} ${to}, ${path.id} ${to} ${constantLimit(last)}) walk`
  if (path.ranges === undefined) return part`select id from ${walk} ${cutOf(page)}`
  return part`select id from (${inEachRange(path, part`select * from ${walk} limit ${last}`)}) page ${sorted(page)}`
}

/** The ids of a page in any order: all that fit, found on a path and then sorted. */
function idsGathered(path: IndexPath, page: ListPage): Part {
  const columns = part`${path.id} as id, ${path.column(page.sort_by)} as key`
  // twice as many as there were a moment ago
  return part`select id from (${everyRow(path, columns, constantLimit(2 * path.lengthMax))}) gathered ${sorted(page)}`
}

/** What it costs to look at a row, if one that is only passed in the index costs 1. */
const lookCost = 4
/** Up to how many rows are always gathered: what fits may lie at the far end of a longer walk. */
const gatheredAnyway = 1000

const costOf = ({ length, isWhole }: IndexPath): number => length * (isWhole ? 1 : lookCost)

/** The path that costs least. There must be at least one. */
export const leastOf = (paths: readonly IndexPath[], cost = costOf): IndexPath =>
  paths.reduce((best, path) => (cost(path) < cost(best) ? path : best))

/**
 * The ids of a page, of `total` that fit, along the path that costs least. A path in the page's order is followed until the page is full,
 * if those that fit lie evenly on it. Every row of another path is gathered. `walk` is an index in the page's order, where no path is.
 */
export function idsOfPage(
  paths: readonly IndexPath[],
  walk: IndexPath | undefined,
  total: number,
  page: ListPage,
): Part {
  const share = (page.limit + page.offset) / total
  const isShort = paths.some(({ length }) => length <= gatheredAnyway)
  // each range of a path is followed until it alone would fill the page
  const best = leastOf(walk && !isShort ? [...paths, walk] : paths, (path) =>
    path.order === page.sort_by ? costOf(path) * Math.min(1, share * (path.rangeCount ?? 1)) : path.length * lookCost,
  )
  return best.order === page.sort_by ? idsInOrder(best, page) : idsGathered(best, page)
}
