// Exact totals of lists of runs, read from counts; also how long each path through the list would be.
import { empty, one, part, type Part, type Sql } from '../../base/db.ts'
import { allAgents, countedAs } from '../../engine/counting/runCounts.ts'
import { countOn, leastOf, totalOf } from '../../kit/lists/indexPath.ts'
import type { RunFilter } from './runFilter.ts'
import {
  fitsOrigin,
  fitsState,
  isOfArtifacts,
  openPaths,
  pathsOf,
  type RunLengths,
  type PathName,
} from './runIndexPaths.ts'
import { spansOf, type Edge, type Range } from '../../engine/counting/timeSpans.ts'

export interface RunTotals extends RunLengths {
  /** Exactly how many runs fit. */
  total: number
  /** How many runs the team has. */
  runs: number
  /** Deltas that the counts do not hold yet. */
  deltas: number
}

/** All but its words; of runs of artifacts, which nothing counts beforehand, with its words. */
export async function totalsOf(sql: Sql, filter: RunFilter): Promise<RunTotals> {
  if (isOfArtifacts(filter)) return countedTotals(sql, filter)
  if (openPaths(filter).every((path) => path === 'all' || path === 'status')) return plainTotals(sql, filter)
  const ofAllTime = await originTotals(sql, filter)
  const isTimed = filter.since !== null || filter.until !== null
  return isTimed && ofAllTime.total > 0 ? inItsTime(sql, filter, ofAllTime) : ofAllTime
}

/** The totals of a filter that has one path, counted along it. */
async function countedTotals(sql: Sql, filter: RunFilter): Promise<RunTotals> {
  const unknown = { lengths: {}, share: 1 }
  const total = await totalOf(sql, countOn(leastOf(pathsOf(filter, unknown))))
  const lengths = Object.fromEntries(openPaths(filter).map((path) => [path, total]))
  return { total, runs: total, lengths, share: 1, deltas: 0 }
}

interface PlainRow {
  total: number
  runs: number
  deltas: number
}

/** The totals of a filter by agent, status and time alone. */
async function plainTotals(sql: Sql, filter: RunFilter): Promise<RunTotals> {
  const { teamId, agentId, since, until } = filter
  const statuses = filter.statuses ?? countedAs
  const spans = spansOf(since, until)
  const sum = (unit: 'all' | 'day' | 'hour', [from, to]: Range): Part => part`
    coalesce((select sum(runs) from run_counts where team_id = ${teamId} and agent_id = ${agentId ?? allAgents} and unit = ${unit}
      and at >= ${from} and at < ${to} and counted_as = any(${statuses}::text[])), 0)`
  const counted =
    since === null && until === null
      ? sum('all', [0, 1])
      : part`${sum('day', spans.days)} + ${sum('hour', spans.hours[0])} + ${sum('hour', spans.hours[1])}
          + ${edge(filter, spans.edges[0])} + ${edge(filter, spans.edges[1])}`
  const row = await one(sql<PlainRow>`
    with delta as materialized (
      select coalesce(sum(case when became = any(${statuses}::text[]) then runs else 0 end
          - case when was = any(${statuses}::text[]) then runs else 0 end)
          filter (where (${agentId}::uuid is null or agent_id = ${agentId}::uuid)
            and hour >= ${spans.wholeHours[0]} and hour < ${spans.wholeHours[1]}), 0) as counted,
        coalesce(sum(case when was is null then runs when became is null then -runs end), 0) as runs,
        count(*) as deltas
      from run_count_deltas where team_id = ${teamId} and source <> 'artifact'
    )
    select (delta.counted + ${counted})::bigint as total, delta.deltas,
      (delta.runs + coalesce((select sum(runs) from run_counts
        where team_id = ${teamId} and agent_id = ${allAgents} and unit = 'all'), 0))::bigint as runs
    from delta`)
  return { ...row, lengths: { all: row.total, status: row.total }, share: 1 }
}

/** Rows at the edge of a range of time, at most an hour of them. A hidden agent has only runs of artifacts, which are not listed. */
const edge = ({ teamId, agentId, statuses }: RunFilter, [from, to]: Edge): Part => part`(
  select count(*) from runs where team_id = ${teamId}
    and ${
      agentId === null
        ? part`source <> 'artifact'`
        : part`agent_id = ${agentId} and not exists (select from agents where id = ${agentId} and is_hidden)`
    }
    and counted_as = any(${statuses ?? countedAs}::text[]) and created_at >= ${from} and created_at < ${to})`

interface OriginRow extends Partial<Record<PathName, number>> {
  total: number
  runs: number
  deltas: number
}

/** The table `counted`: how many runs of a team there are of each kind, and what has changed since they were counted. */
const originCounts = (teamId: string): Part => part`counted as (
      select agent_id, counted_as, source, user_id, case_queue_id, issues, runs, 0 as deltas from run_origin_counts
      where team_id = ${teamId}
      union all
      select agent_id, became, source, user_id, case_queue_id, became_issues, runs, 1 from run_count_deltas
      where team_id = ${teamId} and became is not null and source <> 'artifact'
      union all
      select agent_id, was, source, user_id, case_queue_id, was_issues, -runs, 1 from run_count_deltas
      where team_id = ${teamId} and was is not null and source <> 'artifact'
    )`

/** Sums those of `counted` that fit a filter, without its times. */
const sumOfFitting = (filter: RunFilter): Part =>
  sumWhere(part`${fitsOrigin(filter, part`counted`)} and ${fitsState(filter, part`counted`)}`)

/** The totals of any filter, without its times. */
async function originTotals(sql: Sql, filter: RunFilter): Promise<RunTotals> {
  const row = await one(sql<OriginRow>`
    with ${originCounts(filter.teamId)}
    select ${sumOfFitting(filter)} as total, ${pathSums(filter)} coalesce(sum(runs), 0)::bigint as runs,
      coalesce(sum(deltas), 0)::bigint as deltas
    from counted`)
  const { total, runs, deltas, ...lengths } = row
  return { total, runs, lengths, share: 1, deltas }
}

const sumWhere = (condition: Part): Part => part`coalesce(sum(runs) filter (where ${condition}), 0)::bigint`

/** One sum for each path there is: every one costs time on every row. */
function pathSums(filter: RunFilter): Part {
  const { agentId, statuses } = filter
  const sums: Record<PathName, Part> = {
    all: empty,
    status: part`${sumWhere(part`(${agentId}::uuid is null or agent_id = ${agentId}::uuid)
      and (${statuses}::text[] is null or counted_as = any(${statuses}::text[]))`)} as status,`,
    issues: part`${sumWhere(part`issues = any(${filter.issues}::int[])`)} as issues,`,
    user: part`${sumWhere(part`user_id = ${filter.userId}::uuid`)} as "user",`,
    queue: part`${sumWhere(part`case_queue_id = ${filter.queueId}::uuid`)} as queue,`,
    source: part`${sumWhere(part`source = ${filter.source}::text`)} as source,`,
    artifact: empty,
  }
  return openPaths(filter).reduce((all, path) => part`${all} ${sums[path]}`, empty)
}

/** How many entries of runs_by_status, which needs no look-up, cost as much as looking up the run of one row of run_search. */
const lookUpCost = 10

/**
 * Counted along the shortest path, of which the index gives just this time; or, where that is more than half of all time, what lies
 * outside is counted and taken away, in one statement: between two, runs could move from one side to the other.
 */
async function inItsTime(sql: Sql, filter: RunFilter, ofAllTime: RunTotals): Promise<RunTotals> {
  const { teamId, since, until } = filter
  const ofTeam = { ...filter, agentId: null, statuses: null, issues: null, userId: null, queueId: null, source: null }
  const { total: inside } = await plainTotals(sql, ofTeam)
  const share = ofAllTime.runs === 0 ? 1 : inside / ofAllTime.runs
  const needsRun = filter.statuses !== null || filter.issues !== null
  const count = (counted: RunFilter) =>
    countOn(
      leastOf(
        pathsOf(counted, ofAllTime),
        ({ ranges, length }) => length * (needsRun && ranges === undefined ? lookUpCost : 1),
      ),
    )
  const none = part`select 0`
  const outside = part`
    with ${originCounts(teamId)}
    select greatest(0, ${sumOfFitting(filter)} - (${since ? count({ ...filter, since: null, until: since }) : none})
      - (${until ? count({ ...filter, since: until, until: null }) : none}))::bigint as total
    from counted`
  return { ...ofAllTime, total: await totalOf(sql, share <= 0.5 ? count(filter) : outside), share }
}
