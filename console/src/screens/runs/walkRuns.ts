// Goes through all runs that fit a filter, newest first, page by page. The time of the last one is where the next page begins: a page far
// down costs as little as the first, and runs that end or are deleted on the way move nothing.
import type { ListRunsInput, Run } from '@runyard/sdk'
import { momentAfter, type ApiFilter } from './apiFilter.ts'

export const walkSize = 100

export interface WalkPlace {
  until: string
  /** Those that were given and have the very time at which this page begins. */
  given: string[]
  /** Where more than a page has that time: how many of them are passed over. */
  offset: number
}

export interface WalkPage {
  runs: Run[]
  /** Undefined: these were the last. */
  next: WalkPlace | undefined
  /** How many fit from here on. */
  total: number
}

type Ask = (input: ListRunsInput) => Promise<{ data: Run[]; total: number }>

export async function walkPage(filter: ApiFilter, place: WalkPlace | undefined, ask: Ask): Promise<WalkPage> {
  const { until = filter.until, given = [], offset = 0 } = place ?? {}
  const { data, total } = await ask({ ...filter, ...(until !== undefined && { until }), limit: walkSize, offset })
  const known = new Set(given)
  const runs = data.filter(({ id }) => !known.has(id))
  const last = data.at(-1)
  if (!last || data.length < walkSize) return { runs, next: undefined, total }
  const next = momentAfter(last.created_at)
  const ofLast = data.filter(({ created_at }) => created_at === last.created_at).map(({ id }) => id)
  if (next !== until) return { runs, next: { until: next, given: ofLast, offset: 0 }, total }
  const passed = runs.length === 0 ? offset + data.length : offset
  return { runs, next: { until, given: [...new Set([...given, ...ofLast])], offset: passed }, total }
}
