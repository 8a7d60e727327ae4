// Pages of runs: along the shortest way that an index opens, in the order asked for, or gathered and sorted where that is cheaper.
import { part, type Part, type Sql } from '../../base/db.ts'
import type { CountedAs } from '../../engine/runCounts.ts'
import {
  fitsRun,
  fitsSearchRow,
  hasWords,
  inTime,
  runHasWords,
  runInTime,
  searchRowInTime,
  type RunFilter,
} from './runFilter.ts'
import { runColumns, runsWithAgent, type Run } from './run.ts'
import type { Totals, Way } from './runTotals.ts'

export const sorts = ['created_at', 'completed_at', 'run_number'] as const

export interface Page {
  sort: (typeof sorts)[number]
  isDescending: boolean
  limit: number
  offset: number
}

/** So few are gathered and sorted without asking whether a walk would be shorter. */
const gatheredAnyway = 1000

/** One page of the runs that fit, of which there are `totals.total`. */
export async function readRuns(sql: Sql, filter: RunFilter, totals: Totals, page: Page): Promise<Run[]> {
  if (page.limit === 0 || totals.total <= page.offset) return []
  return runsById(sql, filter.teamId, part`array(${idsOf(filter, totals, page)})`)
}

/** Runs in the order of an array of ids. Each is looked up by its id, however many the planner expects. */
export const runsById = (sql: Sql, teamId: string, ids: Part): Promise<Run[]> => sql<Run>`
  select one.* from unnest(${ids}::uuid[]) with ordinality as page (id, place), lateral (
    select ${runColumns} from ${runsWithAgent} where r.id = page.id and r.team_id = ${teamId} limit 1
  ) one order by page.place`

function idsOf(filter: RunFilter, totals: Totals, page: Page): Part {
  const [way, length] = shortest(totals.ways)
  const { statuses, total, runs } = totals
  if (page.sort === 'created_at') {
    return way === 'status' || way === 'issues' ? byRanges(filter, statuses, way, page) : along(filter, way, page)
  }
  const walkLength = ((page.offset + page.limit) * runs) / total
  return length <= Math.max(gatheredAnyway, walkLength)
    ? gathered(filter, statuses, way, page)
    : sortedWalk(filter, statuses, page)
}

export function shortest(ways: Totals['ways']): [Way, number] {
  const [first, ...others] = Object.entries(ways) as [Way, number][]
  return others.reduce((best, one) => (one[1] < best[1] ? one : best), first!)
}

const direction = ({ isDescending }: Page): Part => (isDescending ? part`desc` : part`asc`)
const cut = ({ limit, offset }: Page): Part => part`limit ${limit} offset ${offset}`

/** A walk says as a constant how far it goes at most: of a parameter the planner expects a tenth of the table, and reads it whole. */
function atMost({ limit, offset }: Page): Part {
  const end = limit + offset
  if (end <= 100) return part`limit 100`
  if (end <= 1000) return part`limit 1000`
  if (end <= 10_000) return part`limit 10000`
  return end <= 100_000 ? part`limit 100000` : part``
}

/** Rows of run_search on a way, that fit. */
const searchRows = (filter: RunFilter, way: Way): Part => part`
  run_search l where l.team_id = ${filter.teamId} ${wayOf(filter, way)} and ${inTime(filter, part`l.created_at`)}
    and ${fitsSearchRow(filter)} and ${hasWords(filter)}`

function wayOf({ userId, queueId, source }: RunFilter, way: Way): Part {
  if (way === 'user') return part`and l.user_id = ${userId}`
  if (way === 'queue') return part`and l.case_queue_id = ${queueId}`
  if (way === 'source') return part`and l.source = ${source}`
  return part``
}

function along(filter: RunFilter, way: Way, page: Page): Part {
  const to = direction(page)
  return part`select * from (
    select l.run_id from ${searchRows(filter, way)} order by l.created_at ${to}, l.run_id ${to} ${atMost(page)}) walk ${cut(page)}`
}

/** Of `runs r` that fit, in one range of the index: `range.value` is its status, or its issues. */
const rangeRows = (filter: RunFilter, way: 'status' | 'issues'): Part => part`
  runs r where r.team_id = ${filter.teamId}
    ${filter.agentId !== null && way === 'status' ? part`and r.agent_id = ${filter.agentId}` : part``}
    ${way === 'status' ? part`and r.counted_as = range.value` : part`and r.issues = range.value`}
    and ${inTime(filter, part`r.created_at`)} and ${fitsRun(filter)} and ${runHasWords(filter)}`

const rangesOf = ({ issues }: RunFilter, statuses: Totals['statuses'], way: 'status' | 'issues'): Part =>
  way === 'status' ? part`unnest(${statuses}::text[])` : part`unnest(${issues}::int[])`

/** Everything that fits, found on a way. */
export const rowsOn = (filter: RunFilter, { statuses }: Totals, way: Way): Part =>
  way === 'status' || way === 'issues'
    ? part`${rangesOf(filter, statuses, way)} as range (value), lateral (select from ${rangeRows(filter, way)} offset 0) fits`
    : searchRows(filter, way)

/** The first of each range, merged: no more of any can be on the page. */
function byRanges(filter: RunFilter, statuses: Totals['statuses'], way: 'status' | 'issues', page: Page): Part {
  const to = direction(page)
  return part`
    select first.id from ${rangesOf(filter, statuses, way)} as range (value), lateral (
      select * from (
        select r.id, r.created_at from ${rangeRows(filter, way)} order by r.created_at ${to}, r.id ${to} ${atMost(page)}
      ) walk limit ${page.offset + page.limit}
    ) first order by first.created_at ${to}, first.id ${to} ${cut(page)}`
}

/** All that fit, found on a way and then sorted. `offset 0`: the planner must not take the order for its way. */
function gathered(filter: RunFilter, statuses: Totals['statuses'], way: Way, page: Page): Part {
  const to = direction(page)
  const rows =
    way === 'status' || way === 'issues'
      ? part`select of_range.* from ${rangesOf(filter, statuses, way)} as range (value), lateral (
          select r.id, ${page.sort === 'completed_at' ? part`r.completed_at` : part`r.run_number`} as key
          from ${rangeRows(filter, way)} offset 0) of_range`
      : part`select l.run_id as id, ${keyOfSearchRow(page)} as key from ${searchRows(filter, way)}`
  return part`select f.id from (${rows} offset 0) f order by f.key ${to}, f.id ${to} ${cut(page)}`
}

/** What a row of run_search is sorted by. */
export function keyOfSearchRow({ sort }: Page): Part {
  if (sort === 'completed_at') return part`(select r.completed_at from runs r where r.id = l.run_id)`
  return sort === 'created_at' ? part`l.created_at` : part`l.run_number`
}

const ended: ReadonlySet<CountedAs> = new Set(['completed', 'failed', 'stopped'])

/** Through all runs of the team in the order asked for, until the page is full. */
function sortedWalk(filter: RunFilter, statuses: Totals['statuses'], page: Page): Part {
  const to = direction(page)
  const hasEnd = statuses.some((status) => ended.has(status))
  const isOpen = statuses.some((status) => !ended.has(status))
  // runs that have not ended lie together at one end of the index: there is no need to pass through them in vain
  const end =
    hasEnd && isOpen ? part`` : hasEnd ? part`and r.completed_at is not null` : part`and r.completed_at is null`
  const walk =
    page.sort === 'run_number'
      ? part`select l.run_id from run_search l
          where l.team_id = ${filter.teamId} and ${searchRowInTime(filter)} and ${fitsSearchRow(filter)} and ${hasWords(filter)}
          order by l.run_number ${to}, l.run_id ${to}`
      : part`select r.id from runs r
          where r.team_id = ${filter.teamId} ${end} and ${runInTime(filter)} and ${fitsRun(filter)} and ${runHasWords(filter)}
          order by r.completed_at ${to}, r.id ${to}`
  return part`select * from (${walk} ${atMost(page)}) walk ${cut(page)}`
}
