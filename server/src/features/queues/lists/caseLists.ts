// Lists of cases: their exact totals, and pages along the path that costs least.
import { part, type Part, type Sql } from '../../../base/db.ts'
import { oneOf } from '../../../kit/schema.ts'
import { caseStatuses } from '../../../kit/states.ts'
import { casesById, type Case } from '../cases/case.ts'
import type { CaseFilter } from './caseFilter.ts'
import { fewHits, frequentHits } from './caseSearch.ts'
import { totalsOf, type Totals } from './caseTotals.ts'
import { costOf, idsByWalk, idsGathered, idsInOrder, type Cut, type Measured } from './caseIndexPaths.ts'

const sorts = ['created_at', 'updated_at', 'postponed_to'] as const

export const sortFields = {
  sort_by: oneOf(sorts, {
    default: 'created_at',
    description: 'By `postponed_to`, cases that are not postponed come last, in the order of `created_at`.',
  }),
  sort_order: oneOf(['asc', 'desc'], { default: 'desc', description: 'Newest or latest first unless `asc`.' }),
}

interface Page {
  sort_by: (typeof sorts)[number]
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
}

interface Found {
  cases: Case[]
  total: number
}

/** `filter` undefined: nothing can fit. */
export async function listed(
  sql: Sql,
  queue: { team_id: string },
  filter: CaseFilter | undefined,
  page: Page,
): Promise<Found> {
  if (!filter) return { cases: [], total: 0 }
  const { total, ids } = await found(sql, filter, page)
  return { cases: await casesById(sql, queue.team_id, ids), total }
}

export async function found(sql: Sql, filter: CaseFilter, page: Page): Promise<{ total: number; ids: string[] }> {
  if (filter.words !== null) {
    const few = await fewHits(sql, filter, orderOf(page), cutOf(page))
    if (few) return few
  }
  const totals = await totalsOf(sql, filter)
  return { total: totals.total, ids: await pageIds(sql, filter, totals, page) }
}

const cutOf = ({ limit, offset, sort_order }: Page): Cut => ({
  limit,
  offset,
  to: sort_order === 'desc' ? part`desc` : part`asc`,
})

/** The order of `cases c`, for a sort of all rows. */
function orderOf(page: Page): Part {
  const { to } = cutOf(page)
  if (page.sort_by === 'created_at') return part`c.created_at ${to}, c.id ${to}`
  if (page.sort_by === 'updated_at') return part`c.updated_at ${to}, c.id ${to}`
  return part`c.postponed_to ${to} nulls last, case when c.postponed_to is null then c.created_at end ${to}, c.id ${to}`
}

async function pageIds(sql: Sql, filter: CaseFilter, totals: Totals, page: Page): Promise<string[]> {
  const cut = cutOf(page)
  if (page.limit === 0 || totals.total <= page.offset) return []
  if (page.sort_by === 'postponed_to') return postponedFirst(sql, filter, page)
  if (filter.words !== null && page.sort_by === 'created_at' && totals.paths.length === 1) {
    return frequentHits(sql, filter, totals.total, cut)
  }
  return idsOf(sql, page.sort_by === 'created_at' ? byCreation(filter, totals, cut) : byChange(filter, totals, cut))
}

const idsOf = async (sql: Sql, ids: Part): Promise<string[]> => (await sql<{ id: string }>`${ids}`).map(({ id }) => id)

/** The share of a path that is gone until the page is full, if those that fit lie evenly on it. */
const shareOf = ({ limit, offset }: Cut, { total }: Totals): number => (limit + offset) / total

/** What it costs to gather a row, as costOf has it: it is found, looked up once more and sorted. */
const gatherCost = 16

const least = (paths: Totals['paths'], cost: (path: Measured) => number): Measured =>
  paths.reduce((best, path) => (cost(path) < cost(best) ? path : best))

function byCreation(filter: CaseFilter, totals: Totals, cut: Cut): Part {
  const path = least(totals.paths, (one) =>
    one.by === 'change' ? one.length * gatherCost : costOf(filter, one) * shareOf(cut, totals),
  )
  return path.by === 'change' ? idsGathered(filter, path, part`c.created_at`, cut) : idsInOrder(filter, path, cut)
}

function byChange(filter: CaseFilter, totals: Totals, cut: Cut): Part {
  const key = part`c.updated_at`
  const path = least(totals.paths, ({ length }) => length)
  const walkCost = costOf(filter, totals.paths[0]) * shareOf(cut, totals)
  if (path.length * gatherCost < walkCost) return idsGathered(filter, path, key, cut)
  return idsByWalk(filter, key, part`c.updated_at >= ${filter.updatedFrom ?? '-infinity'}::timestamptz`, cut)
}

/** Postponed cases by their time, then the others by their creation. */
async function postponedFirst(sql: Sql, filter: CaseFilter, page: Page): Promise<string[]> {
  const asked = filter.statuses ?? caseStatuses
  const isAsked = asked.includes('postponed')
  const walk = idsByWalk(filter, part`c.postponed_to`, part`c.display_status = 'postponed'`, cutOf(page))
  const first = isAsked ? await idsOf(sql, walk) : []
  const rest = { ...filter, statuses: asked.filter((status) => status !== 'postponed') }
  if (first.length === page.limit || rest.statuses.length === 0) return first
  const postponed = isAsked ? (await totalsOf(sql, { ...filter, statuses: ['postponed'] })).total : 0
  const restPage: Page = {
    ...page,
    sort_by: 'created_at',
    limit: page.limit - first.length,
    offset: Math.max(0, page.offset - postponed),
  }
  return [...first, ...(await pageIds(sql, rest, await totalsOf(sql, rest), restPage))]
}
