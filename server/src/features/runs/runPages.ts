// Pages of runs: along the shortest path that an index opens, in the order asked for, or gathered and sorted where that is cheaper.
import { part, type Part, type Sql } from '../../base/db.ts'
import { hasEnded } from '../../engine/ledger/lifecycle.ts'
import { constantLimit } from '../../kit/longLists.ts'
import { runsById, type Run } from './run.ts'
import type { RunFilter } from './runFilter.ts'
import { shortest, type Totals } from './runTotals.ts'
import * as indexPaths from './runIndexPaths.ts'

export const sorts = ['created_at', 'completed_at', 'run_number'] as const

export interface Page {
  sort: (typeof sorts)[number]
  isDescending: boolean
  limit: number
  offset: number
}

/** Up to how many rows a statement has a limit. */
const rowsReadMax = 100_000
/** Up to how many runs are always gathered and sorted, even if a walk would be shorter. */
const gatheredAnyway = 1000

/** One page of the runs that fit, of which there are `totals.total`. */
export async function readRuns(sql: Sql, filter: RunFilter, totals: Totals, page: Page): Promise<Run[]> {
  if (page.limit === 0 || totals.total <= page.offset) return []
  return runsById(sql, filter.teamId, part`array(${idsOf(filter, totals, page)})`)
}

function idsOf(filter: RunFilter, totals: Totals, page: Page): Part {
  const [path, length] = shortest(totals.paths)
  if (page.sort === 'created_at') {
    return indexPaths.isByRanges(path) ? byRanges(filter, totals, path, page) : along(filter, path, page)
  }
  const walkLength = ((page.offset + page.limit) * totals.runs) / totals.total
  return length <= Math.max(gatheredAnyway, walkLength)
    ? gathered(filter, path, totals.pathsMax[path]!, page)
    : sortedWalk(filter, totals, page)
}

const direction = ({ isDescending }: Page): Part => (isDescending ? part`desc` : part`asc`)
const cut = ({ limit, offset }: Page): Part => part`limit ${limit} offset ${offset}`

const atMost = ({ limit, offset }: Page): Part => constantLimit(limit + offset, rowsReadMax)

function along(filter: RunFilter, path: indexPaths.IndexPath, page: Page): Part {
  const to = direction(page)
  return part`select * from (
    select l.run_id from ${indexPaths.searchRows(filter, path)} order by l.created_at ${to}, l.run_id ${to} ${atMost(page)}) walk ${cut(page)}`
}

/** The first of each range, merged: no more of any can be on the page. */
function byRanges(filter: RunFilter, { statuses }: Totals, path: indexPaths.RangePath, page: Page): Part {
  const to = direction(page)
  return part`
    select first.id from ${indexPaths.rangesOf(filter, path, statuses)} as range (value), lateral (
      select * from (
        select r.id, r.created_at from ${indexPaths.rangeRows(filter, path)} order by r.created_at ${to}, r.id ${to} ${atMost(page)}
      ) walk limit ${page.offset + page.limit}
    ) first order by first.created_at ${to}, first.id ${to} ${cut(page)}`
}

/** All that fit, found on a path and then sorted. */
function gathered(filter: RunFilter, path: indexPaths.IndexPath, rowsMax: number, page: Page): Part {
  const to = direction(page)
  const columns = {
    l: part`l.run_id as id, ${keyOfSearchRow(page)} as key`,
    r: part`r.id, ${page.sort === 'completed_at' ? part`r.completed_at` : part`r.run_number`} as key`,
  }
  // twice as many as there were a moment ago
  const rows = indexPaths.rowsOn(filter, path, columns, constantLimit(2 * rowsMax, rowsReadMax))
  return part`select f.id from (${rows}) f order by f.key ${to}, f.id ${to} ${cut(page)}`
}

/** What a row of run_search is sorted by. */
export function keyOfSearchRow({ sort }: Page): Part {
  if (sort === 'completed_at') return part`(select r.completed_at from runs r where r.id = l.run_id)`
  return sort === 'created_at' ? part`l.created_at` : part`l.run_number`
}

/** Through all runs of the team in the order asked for, until the page is full. */
function sortedWalk(filter: RunFilter, totals: Totals, page: Page): Part {
  const to = direction(page)
  const walk =
    page.sort === 'run_number'
      ? part`select l.run_id from run_search l
          where l.team_id = ${filter.teamId} and ${indexPaths.searchRowInTime(filter)} and ${indexPaths.fitsSearchRow(filter)}
            and ${indexPaths.hasWords(filter)}
          order by l.run_number ${to}, l.run_id ${to}`
      : part`select r.id from runs r
          where r.team_id = ${filter.teamId} ${endOf(totals)} and ${indexPaths.runInTime(filter)} and ${indexPaths.fitsRun(filter)}
            and ${indexPaths.runHasWords(filter)}
          order by r.completed_at ${to}, r.id ${to}`
  return part`select * from (${walk} ${atMost(page)}) walk ${cut(page)}`
}

/** Runs that have not ended lie together at one end of the index: a walk need not pass through all of them in vain. */
function endOf({ statuses }: Totals): Part {
  const ended = statuses.filter((status) => status !== 'needs_attention' && hasEnded(status)).length
  if (ended === statuses.length) return part`and r.completed_at is not null`
  return ended === 0 ? part`and r.completed_at is null` : part``
}
