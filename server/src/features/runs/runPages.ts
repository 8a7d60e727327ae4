// Pages of runs, in each order that a list of them can have.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { hasEnded } from '../../engine/ledger/lifecycle.ts'
import { idsOfPage, type ListPage } from '../../kit/lists/indexPath.ts'
import { runsById, type Run } from './run.ts'
import type { RunFilter } from './runFilter.ts'
import { isOfArtifacts, pathsOf, walkOf } from './runIndexPaths.ts'
import type { RunTotals } from './runTotals.ts'

export const sorts = ['created_at', 'completed_at', 'run_number'] as const

export type RunPage = ListPage<(typeof sorts)[number]>

/**
 * One page of the runs that fit, of which there were `totals.total` a moment ago. They may have another status by now: only what the filter
 * itself asks for narrows where they are looked for.
 */
export async function readRuns(sql: Sql, filter: RunFilter, totals: RunTotals, page: RunPage): Promise<Run[]> {
  if (page.limit === 0 || totals.total <= page.offset) return []
  const { sort_by } = page
  // an index in another order would pass through all runs of the team for the few of artifacts
  const isOnPath = sort_by === 'created_at' || isOfArtifacts(filter)
  const walk = isOnPath ? undefined : walkOf(filter, sort_by, totals.runs, endOf(filter, page))
  const ids = idsOfPage(pathsOf(filter, totals), walk, totals.total, page)
  return runsById(sql, filter.teamId, part`array(${ids})`)
}

/** Runs that have not ended lie together at one end of the index: a walk need not pass through all of them in vain. */
function endOf({ statuses }: RunFilter, { sort_by }: RunPage): Part {
  if (sort_by !== 'completed_at' || statuses === null) return empty
  const ended = statuses.filter((status) => status !== 'needs_attention' && hasEnded(status)).length
  if (ended === statuses.length) return part`and r.completed_at is not null`
  return ended === 0 ? part`and r.completed_at is null` : empty
}
