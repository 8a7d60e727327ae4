// Lists of cases: their exact totals, and pages along the path that costs least.
import type { Part, Sql } from '../../../base/db.ts'
import { idsInOrder, idsOfPage, type ListPage } from '../../../kit/lists/indexPath.ts'
import { fewHits, frequentHits } from '../../../kit/lists/words.ts'
import { oneOf } from '../../../kit/schema.ts'
import { caseStatuses } from '../../../kit/states.ts'
import { casesById, type Case } from '../cases/case.ts'
import type { CaseFilter } from './caseFilter.ts'
import { gatheringOf, wordRowsOf } from './caseSearch.ts'
import { totalsOf, type CaseTotals } from './caseTotals.ts'
import { changePath, postponedPath } from './caseIndexPaths.ts'

const sorts = ['created_at', 'updated_at', 'postponed_to'] as const

export const sortFields = {
  sort_by: oneOf(sorts, {
    default: 'created_at',
    description: 'By `postponed_to`, cases that are not postponed come last, in the order of `created_at`.',
  }),
  sort_order: oneOf(['asc', 'desc'], { default: 'desc', description: 'Newest or latest first unless `asc`.' }),
}

type CasePage = ListPage<(typeof sorts)[number]>

interface Found {
  cases: Case[]
  total: number
}

/** `filter` undefined: nothing can fit. */
export async function listed(
  sql: Sql,
  queue: { team_id: string },
  filter: CaseFilter | undefined,
  page: CasePage,
): Promise<Found> {
  if (!filter) return { cases: [], total: 0 }
  const { total, ids } = await found(sql, filter, page)
  return { cases: await casesById(sql, queue.team_id, ids), total }
}

export async function found(sql: Sql, filter: CaseFilter, page: CasePage): Promise<{ total: number; ids: string[] }> {
  if (filter.words !== null) {
    const few = await fewHits(sql, gatheringOf(filter, page), page)
    if (few) return few
  }
  const totals = await totalsOf(sql, filter)
  return { total: totals.total, ids: await pageIds(sql, filter, totals, page) }
}

async function pageIds(sql: Sql, filter: CaseFilter, { total, paths }: CaseTotals, page: CasePage): Promise<string[]> {
  const read = async (ids: Part) => (await sql<{ id: string }>`${ids}`).map(({ id }) => id)
  if (page.limit === 0 || total <= page.offset) return []
  if (page.sort_by === 'postponed_to') return postponedFirst(sql, filter, page)
  if (filter.words !== null && page.sort_by === 'created_at' && paths.length === 1) {
    return frequentHits(read, wordRowsOf(filter, filter.words), total, page)
  }
  const walk = page.sort_by === 'updated_at' ? changePath(filter, paths[0].length) : undefined
  return read(idsOfPage(paths, walk, total, page))
}

/** Postponed cases by their time, then the others by their creation. */
async function postponedFirst(sql: Sql, filter: CaseFilter, page: CasePage): Promise<string[]> {
  const asked = filter.statuses ?? caseStatuses
  const isAsked = asked.includes('postponed')
  const first = isAsked ? await sql<{ id: string }>`${idsInOrder(postponedPath(filter), page)}` : []
  const ids = first.map(({ id }) => id)
  const rest = { ...filter, statuses: asked.filter((status) => status !== 'postponed') }
  if (ids.length === page.limit || rest.statuses.length === 0) return ids
  const postponed = isAsked ? (await totalsOf(sql, { ...filter, statuses: ['postponed'] })).total : 0
  const restPage: CasePage = {
    ...page,
    sort_by: 'created_at',
    limit: page.limit - ids.length,
    offset: Math.max(0, page.offset - postponed),
  }
  return [...ids, ...(await pageIds(sql, rest, await totalsOf(sql, rest), restPage))]
}
