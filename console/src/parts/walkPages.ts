// Goes through all rows of a list that fit a filter, newest first, page by page. The time of the last one is where the next page begins: a page far
// down costs as little as the first, and rows that change or are deleted on the way move nothing.
import { momentAfter } from './moments.ts'

export const walkSize = 100

export interface WalkPlace {
  until: string
  /** Those that were given and have the very time at which this page begins. */
  given: string[]
  /** Where more than a page has that time: how many of them are passed over. */
  offset: number
}

interface Walked {
  id: string
  created_at: string
}

export interface WalkPage<Row> {
  rows: Row[]
  /** Undefined: these were the last. */
  next: WalkPlace | undefined
  /** How many fit from here on. */
  total: number
}

interface Until {
  until?: string
}

type Ask<Row, Filter> = (input: Filter & Until & { limit: number; offset: number }) => Promise<{
  data: Row[]
  total: number
}>

export async function walkPage<Row extends Walked, Filter extends Until>(
  filter: Filter,
  place: WalkPlace | undefined,
  ask: Ask<Row, Filter>,
): Promise<WalkPage<Row>> {
  const { until = filter.until, given = [], offset = 0 } = place ?? {}
  const { data, total } = await ask({ ...filter, ...(until !== undefined && { until }), limit: walkSize, offset })
  const known = new Set(given)
  const rows = data.filter(({ id }) => !known.has(id))
  const last = data.at(-1)
  if (!last || data.length < walkSize) return { rows, next: undefined, total }
  const next = momentAfter(last.created_at)
  const ofLast = data.filter(({ created_at }) => created_at === last.created_at).map(({ id }) => id)
  if (next !== until) return { rows, next: { until: next, given: ofLast, offset: 0 }, total }
  const passed = rows.length === 0 ? offset + data.length : offset
  return { rows, next: { until, given: [...new Set([...given, ...ofLast])], offset: passed }, total }
}
