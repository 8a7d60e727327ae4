// Exact totals of lists of runs, read from counts; also how long each path through the list would be.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { allAgents, countedAs, type CountedAs } from '../../engine/counting/runCounts.ts'
import type { RunFilter } from './runFilter.ts'
import { countOn, pathsOf, type IndexPath } from './runIndexPaths.ts'
import { spansOf, type Edge, type Range } from './timeSpans.ts'

export interface Totals {
  /** Exactly how many runs fit. */
  total: number
  /** How many runs the team has. */
  runs: number
  /** About how many runs lie on each path that this filter opens, and how many at most. */
  paths: PathLengths
  pathsMax: PathLengths
  /** Only these have runs that fit. */
  statuses: readonly CountedAs[]
  /** Deltas that the counts do not hold yet. */
  deltas: number
}

type PathLengths = Partial<Record<IndexPath, number>>

/** All but its words. */
export async function totalsOf(sql: Sql, filter: RunFilter): Promise<Totals> {
  if (pathsOf(filter).every((path) => path === 'all' || path === 'status')) return plainTotals(sql, filter)
  const ofAllTime = await originTotals(sql, filter)
  const isTimed = filter.since !== null || filter.until !== null
  return isTimed && ofAllTime.total > 0 ? inItsTime(sql, filter, ofAllTime) : ofAllTime
}

export function shortest(paths: PathLengths): [IndexPath, number] {
  const [first, ...others] = Object.entries(paths) as [IndexPath, number][]
  return others.reduce((best, path) => (path[1] < best[1] ? path : best), first!)
}

interface PlainRow {
  total: number
  runs: number
  deltas: number
}

/** The totals of a filter by agent, status and time alone. */
async function plainTotals(sql: Sql, filter: RunFilter): Promise<Totals> {
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
      from run_count_deltas where team_id = ${teamId}
    )
    select (delta.counted + ${counted})::bigint as total, delta.deltas,
      (delta.runs + coalesce((select sum(runs) from run_counts
        where team_id = ${teamId} and agent_id = ${allAgents} and unit = 'all'), 0))::bigint as runs
    from delta`)
  const paths = { [pathsOf(filter)[0]!]: row.total }
  return { ...row, statuses, paths, pathsMax: paths }
}

/** Rows at the edge of a range of time, at most an hour of them. */
const edge = ({ teamId, agentId, statuses }: RunFilter, [from, to]: Edge): Part => part`(
  select count(*) from runs where team_id = ${teamId} ${agentId === null ? part`` : part`and agent_id = ${agentId}`}
    and counted_as = any(${statuses ?? countedAs}::text[]) and created_at >= ${from} and created_at < ${to})`

interface OriginRow extends Partial<Record<IndexPath, number>> {
  counted_as: CountedAs
  total: number
  all: number
  deltas: number
}

/** The totals of any filter, without its times. */
async function originTotals(sql: Sql, filter: RunFilter): Promise<Totals> {
  const { teamId } = filter
  const rows = await sql<OriginRow>`
    with counted as (
      select agent_id, counted_as, source, user_id, case_queue_id, issues, runs, 0 as deltas from run_origin_counts
      where team_id = ${teamId}
      union all
      select agent_id, became, source, user_id, case_queue_id, became_issues, runs, 1 from run_count_deltas
      where team_id = ${teamId} and became is not null
      union all
      select agent_id, was, source, user_id, case_queue_id, was_issues, -runs, 1 from run_count_deltas
      where team_id = ${teamId} and was is not null
    )
    select counted_as, ${sumWhere(allOf(filter))} as total, ${pathSums(filter)} sum(runs)::bigint as "all", sum(deltas) as deltas
    from counted group by counted_as`
  const sum = (name: IndexPath | 'total' | 'deltas') => rows.reduce((all, row) => all + (row[name] ?? 0), 0)
  const paths = Object.fromEntries(pathsOf(filter).map((path) => [path, sum(path)]))
  return {
    total: sum('total'),
    runs: sum('all'),
    paths,
    pathsMax: paths,
    statuses: rows.filter(({ total }) => total > 0).map((row) => row.counted_as),
    deltas: sum('deltas'),
  }
}

const sumWhere = (condition: Part): Part => part`coalesce(sum(runs) filter (where ${condition}), 0)::bigint`

const ofState = ({ agentId, statuses }: RunFilter): Part => part`
  (${agentId}::uuid is null or agent_id = ${agentId}::uuid) and (${statuses}::text[] is null or counted_as = any(${statuses}::text[]))`

const allOf = (filter: RunFilter): Part => part`${ofState(filter)}
  and (${filter.issues}::int[] is null or issues = any(${filter.issues}::int[]))
  and (${filter.userId}::uuid is null or user_id = ${filter.userId}::uuid)
  and (${filter.queueId}::uuid is null or case_queue_id = ${filter.queueId}::uuid)
  and (${filter.source}::text is null or source = ${filter.source}::text)`

/** One sum for each path there is: every one costs time on every row. */
function pathSums(filter: RunFilter): Part {
  const sums: Record<IndexPath, Part> = {
    all: part``,
    status: part`${sumWhere(ofState(filter))} as status,`,
    issues: part`${sumWhere(part`issues = any(${filter.issues}::int[])`)} as issues,`,
    user: part`${sumWhere(part`user_id = ${filter.userId}::uuid`)} as "user",`,
    queue: part`${sumWhere(part`case_queue_id = ${filter.queueId}::uuid`)} as queue,`,
    source: part`${sumWhere(part`source = ${filter.source}::text`)} as source,`,
  }
  return pathsOf(filter).reduce((all, path) => part`${all} ${sums[path]}`, part``)
}

/** How many entries of runs_by_status, which needs no look-up, cost as much as looking up the run of one row of run_search. */
const lookUpCost = 10

/**
 * Counted along the shortest path, of which the index gives just this time; or, where that is more than half of all time, what lies
 * outside is counted and taken away.
 */
async function inItsTime(sql: Sql, filter: RunFilter, ofAllTime: Totals): Promise<Totals> {
  const ofTeam = { ...filter, agentId: null, statuses: null, issues: null, userId: null, queueId: null, source: null }
  const { total: inside } = await plainTotals(sql, ofTeam)
  const share = ofAllTime.runs === 0 ? 1 : inside / ofAllTime.runs
  const needsRun = filter.statuses !== null || filter.issues !== null
  const costs = Object.entries(ofAllTime.paths).map(([path, length]) => {
    const isOnRuns = path === 'status' || path === 'issues'
    return [path, needsRun && !isOnRuns ? length * lookUpCost : length]
  })
  const [path] = shortest(Object.fromEntries(costs))
  const count = async (counted: RunFilter) => {
    const row = await one(sql<{ total: number }>`${countOn(counted, path)}`)
    return row.total
  }
  const before = { ...filter, since: null, until: filter.since }
  const after = { ...filter, since: filter.until, until: null }
  const total =
    share <= 0.5
      ? await count(filter)
      : ofAllTime.total - (filter.since ? await count(before) : 0) - (filter.until ? await count(after) : 0)
  const paths = Object.fromEntries(Object.entries(ofAllTime.paths).map(([name, length]) => [name, length * share]))
  return { ...ofAllTime, total: Math.max(0, total), paths }
}
