// Index paths through the runs of a team: for each field of a filter the index that it can be followed by, and what is asked of the rows on it.
import { part, type Part } from '../../base/db.ts'
import { countedAs, type CountedAs } from '../../engine/counting/runCounts.ts'
import { rowCondition } from '../../kit/longLists.ts'
import type { RunFilter } from './runFilter.ts'

/** `status` is the path of an agent, too: of one agent's runs, or of the whole team's, by status. */
export type IndexPath = 'status' | 'issues' | 'user' | 'queue' | 'source' | 'all'

/** The paths that the filter's fields open; `all` where it has none. */
export function pathsOf({ agentId, statuses, issues, userId, queueId, source }: RunFilter): IndexPath[] {
  const fields: [IndexPath, boolean][] = [
    ['status', agentId !== null || statuses !== null],
    ['issues', issues !== null],
    ['user', userId !== null],
    ['queue', queueId !== null],
    ['source', source !== null],
  ]
  const open = fields.filter(([, isOpen]) => isOpen).map(([path]) => path)
  return open.length > 0 ? open : ['all']
}

/** Every row on this path fits, if its time does: nothing but the index need be read. */
const isWholePath = (filter: RunFilter): boolean => pathsOf(filter).length === 1 && filter.words === null

/** A range of an index on `column`. */
export const inTime = ({ since, until }: RunFilter, column: Part): Part => part`
  ${column} >= ${since ?? '-infinity'}::timestamptz and ${column} < ${until ?? 'infinity'}::timestamptz`

/** Rows of `run_search l` on a path, that fit. */
export const searchRows = (filter: RunFilter, path: IndexPath): Part => part`
  run_search l where l.team_id = ${filter.teamId} ${alongSearch(filter, path)} and ${inTime(filter, part`l.created_at`)}
    ${isWholePath(filter) ? part`` : part`and ${fitsSearchRow(filter)} and ${hasWords(filter)}`}`

function alongSearch({ userId, queueId, source }: RunFilter, path: IndexPath): Part {
  if (path === 'user') return part`and l.user_id = ${userId}`
  if (path === 'queue') return part`and l.case_queue_id = ${queueId}`
  if (path === 'source') return part`and l.source = ${source}`
  return part``
}

/** Index paths that are several ranges of an index on runs, since what they follow changes. */
export type RangePath = 'status' | 'issues'

export const isByRanges = (path: IndexPath): path is RangePath => path === 'status' || path === 'issues'

/** `statuses`: those that have runs that fit, where that is known. */
export const rangesOf = (
  { issues, statuses: asked }: RunFilter,
  path: RangePath,
  statuses?: readonly CountedAs[],
): Part =>
  path === 'status' ? part`unnest(${statuses ?? asked ?? countedAs}::text[])` : part`unnest(${issues}::int[])`

/** The rows of `runs r` in one range that fit: `range.value` is its status, or its issues. */
export const rangeRows = (filter: RunFilter, path: RangePath): Part => part`
  runs r where r.team_id = ${filter.teamId}
    ${filter.agentId !== null && path === 'status' ? part`and r.agent_id = ${filter.agentId}` : part``}
    ${path === 'status' ? part`and r.counted_as = range.value` : part`and r.issues = range.value`}
    and ${inTime(filter, part`r.created_at`)}
    ${isWholePath(filter) ? part`` : part`and ${fitsRun(filter)} and ${runHasWords(filter)}`}`

/**
 * Everything that fits, found on a path; of each row what is asked for of `run_search l`, or of `runs r`. Nobody needs the order or
 * the limit (`atMost`): they only make sure that no plan leaves the path.
 */
export const rowsOn = (filter: RunFilter, path: IndexPath, columns: { l: Part; r: Part }, atMost: Part): Part =>
  isByRanges(path)
    ? part`select of_range.* from ${rangesOf(filter, path)} as range (value), lateral (
        select ${columns.r} from ${rangeRows(filter, path)} order by r.created_at, r.id ${atMost} offset 0) of_range`
    : part`select ${columns.l} from ${searchRows(filter, path)} order by l.created_at, l.run_id ${atMost} offset 0`

/** The statement that counts them. */
export const countOn = (filter: RunFilter, path: IndexPath): Part => part`
  select count(*) as total from (${rowsOn(filter, path, { l: part`1`, r: part`1` }, part``)}) counted`

/** Condition on `runs r`: all of the filter but its words and its time. A value that is null asks nothing, so one statement serves every filter. */
export const fitsRun = (filter: RunFilter): Part =>
  rowCondition(part`(${filter.agentId}::uuid is null or r.agent_id = ${filter.agentId}::uuid)
    and (${filter.userId}::uuid is null or r.user_id = ${filter.userId}::uuid)
    and (${filter.queueId}::uuid is null or r.case_queue_id = ${filter.queueId}::uuid)
    and (${filter.source}::text is null or r.source = ${filter.source}::text)
    and ${fitsState(filter)}`)

const fitsState = ({ statuses, issues }: RunFilter): Part => part`
  (${statuses}::text[] is null or r.counted_as = any(${statuses}::text[])) and (${issues}::int[] is null or r.issues = any(${issues}::int[]))`

/** Condition on `run_search l`: all of the filter but its words and its time. What can change is read from the run itself, only if the filter asks for it. */
export const fitsSearchRow = (filter: RunFilter): Part =>
  rowCondition(part`(${filter.agentId}::uuid is null or l.agent_id = ${filter.agentId}::uuid)
    and (${filter.userId}::uuid is null or l.user_id = ${filter.userId}::uuid)
    and (${filter.queueId}::uuid is null or l.case_queue_id = ${filter.queueId}::uuid)
    and (${filter.source}::text is null or l.source = ${filter.source}::text)
    and case when ${filter.statuses}::text[] is null and ${filter.issues}::int[] is null then true
      else (select ${fitsState(filter)} from runs r where r.id = l.run_id) end`)

/** Condition on `run_search l`: it has the words. */
export const hasWords = ({ words }: RunFilter): Part => part`
  case when ${words}::text is null then true else l.words @@ ${words}::tsquery end`

/** Condition on `runs r`: it has the words. */
export const runHasWords = ({ words }: RunFilter): Part => part`
  case when ${words}::text is null then true else (
    select l.words @@ ${words}::tsquery from run_search l
    where l.team_id = r.team_id and l.created_at = r.created_at and l.run_id = r.id) end`

/** The time, where an index is followed that does not have it. */
export const runInTime = (filter: RunFilter): Part => rowCondition(inTime(filter, part`r.created_at`))
export const searchRowInTime = (filter: RunFilter): Part => rowCondition(inTime(filter, part`l.created_at`))
