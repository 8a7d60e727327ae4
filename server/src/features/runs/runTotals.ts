// Exact totals of lists of runs, read from counts; also how long each way through the list would be.
import { part, type Part, type Sql } from '../../base/db.ts'
import { allAgents, countedAs, type CountedAs } from '../../engine/runCounts.ts'
import { fitsSearchRow, isPlain, type RunFilter } from './runFilter.ts'

/** The fields of a filter that an index can be followed by. */
export type Way = 'status' | 'issues' | 'user' | 'queue' | 'source' | 'all'

export interface Totals {
  /** Exactly how many runs fit. */
  total: number
  /** How many runs the team has. */
  runs: number
  /** About how many runs lie on each way that this filter opens. */
  ways: Partial<Record<Way, number>>
  /** Only these have runs that fit. */
  statuses: readonly CountedAs[]
  /** Deltas that the counts do not hold yet. */
  deltas: number
}

const hourMs = 3_600_000

/** A time range in whole days and hours, which are counted, and what is left at its edges, where rows are. */
interface Spans {
  days: Range
  /** Before and after the days. */
  hours: [Range, Range]
  /** All whole hours, those of the days included. */
  wholeHours: Range
  edges: [Edge, Edge]
}

type Range = [from: number, to: number]
type Edge = [from: Date, to: Date]

const none: Range = [0, 0]
const noEdge: Edge = [new Date(0), new Date(0)]
const [least, most] = [-2_147_483_648, 2_147_483_647]

export function spansOf(since: Date | null, until: Date | null): Spans {
  const from = since ? Math.ceil(since.getTime() / hourMs) : least
  const to = until ? Math.floor(until.getTime() / hourMs) : most
  if (since && until && from >= to) {
    const edge: Edge = since < until ? [since, until] : noEdge
    return { days: none, hours: [none, none], wholeHours: none, edges: [edge, noEdge] }
  }
  const edges: Spans['edges'] = [
    since ? [since, new Date(from * hourMs)] : noEdge,
    until ? [new Date(to * hourMs), until] : noEdge,
  ]
  const wholeHours: Range = [from, to]
  const firstDay = since ? Math.ceil(from / 24) : least
  const lastDay = until ? Math.floor(to / 24) : most
  if (firstDay >= lastDay) return { days: none, hours: [wholeHours, none], wholeHours, edges }
  const hours: Spans['hours'] = [since ? [from, firstDay * 24] : none, until ? [lastDay * 24, to] : none]
  return { days: [firstDay, lastDay], hours, wholeHours, edges }
}

/** All but its words. */
export const totalsOf = (sql: Sql, filter: RunFilter): Promise<Totals> =>
  isPlain(filter) ? plainTotals(sql, filter) : originTotals(sql, filter)

interface PlainRow {
  counted: number
  runs: number
  deltas: number
}

async function plainTotals(sql: Sql, filter: RunFilter): Promise<Totals> {
  const { teamId, agentId, since, until } = filter
  const statuses = filter.statuses ?? countedAs
  const isTimed = since !== null || until !== null
  const spans = spansOf(since, until)
  const sum = (unit: 'all' | 'day' | 'hour', [from, to]: Range, agent = agentId ?? allAgents): Part => part`
    coalesce((select sum(runs) from run_counts where team_id = ${teamId} and agent_id = ${agent} and unit = ${unit}
      and at >= ${from} and at < ${to} and counted_as = any(${statuses}::text[])), 0)`
  const counted = isTimed
    ? part`${sum('day', spans.days)} + ${sum('hour', spans.hours[0])} + ${sum('hour', spans.hours[1])}
        + ${edge(filter, spans.edges[0])} + ${edge(filter, spans.edges[1])}`
    : sum('all', [0, 1])
  const [row] = await sql<PlainRow>`
    with delta as materialized (
      select coalesce(sum(case when became = any(${statuses}::text[]) then runs else 0 end
          - case when was = any(${statuses}::text[]) then runs else 0 end)
          filter (where (${agentId}::uuid is null or agent_id = ${agentId}::uuid)
            and hour >= ${spans.wholeHours[0]} and hour < ${spans.wholeHours[1]}), 0) as counted,
        coalesce(sum(case when was is null then runs when became is null then -runs end), 0) as runs,
        count(*) as deltas
      from run_count_deltas where team_id = ${teamId}
    )
    select (delta.counted + ${counted})::bigint as counted, delta.deltas,
      (delta.runs + coalesce((select sum(runs) from run_counts
        where team_id = ${teamId} and agent_id = ${allAgents} and unit = 'all'), 0))::bigint as runs
    from delta`
  const { counted: total, runs, deltas } = row!
  const way: Way = agentId === null && filter.statuses === null ? 'all' : 'status'
  return { total, runs, deltas, statuses, ways: { [way]: total } }
}

/** Rows at the edge of a time range, at most an hour of them. */
const edge = ({ teamId, agentId, statuses }: RunFilter, [from, to]: Edge): Part => part`(
  select count(*) from runs where team_id = ${teamId} ${agentId === null ? part`` : part`and agent_id = ${agentId}`}
    and counted_as = any(${statuses ?? countedAs}::text[]) and created_at >= ${from} and created_at < ${to})`

interface OriginRow extends Partial<Record<Way, number>> {
  counted_as: CountedAs
  total: number
  deltas: number
  runs: number
}

async function originTotals(sql: Sql, filter: RunFilter): Promise<Totals> {
  const { teamId, since, until } = filter
  const isTimed = since !== null || until !== null
  const spans = spansOf(since, until)
  const inHours = part`hour >= ${spans.wholeHours[0]} and hour < ${spans.wholeHours[1]}`
  const rows = await sql<OriginRow>`
    with counted as (
      select agent_id, counted_as, source, user_id, case_queue_id, issues, runs, 0 as deltas from run_origin_counts
      where team_id = ${teamId} and ${isTimed ? inHours : part`hour is null`}
      union all
      select agent_id, became, source, user_id, case_queue_id, became_issues, runs, 1 from run_count_deltas
      where team_id = ${teamId} and became is not null ${isTimed ? part`and ${inHours}` : part``}
      union all
      select agent_id, was, source, user_id, case_queue_id, was_issues, -runs, 1 from run_count_deltas
      where team_id = ${teamId} and was is not null ${isTimed ? part`and ${inHours}` : part``}
    )
    select counted_as, ${sumWhere(allOf(filter))} as total, ${waySums(filter)} sum(deltas) as deltas, (
      select sum(runs) from run_counts where team_id = ${teamId} and agent_id = ${allAgents} and unit = 'all')::bigint as runs
    from counted group by counted_as`
  const sum = (name: Way | 'total' | 'deltas') => rows.reduce((all, row) => all + (row[name] ?? 0), 0)
  const atEdges = isTimed ? await countEdges(sql, filter, spans.edges) : 0
  const ways: Totals['ways'] = {}
  for (const way of waysOf(filter)) ways[way] = sum(way) + atEdges
  return {
    total: sum('total') + atEdges,
    runs: rows[0]?.runs ?? 0,
    deltas: sum('deltas'),
    // at the edges of a time any other may be
    statuses: isTimed
      ? (filter.statuses ?? countedAs)
      : rows.filter(({ total }) => total > 0).map((row) => row.counted_as),
    ways,
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

function waysOf({ agentId, statuses, issues, userId, queueId, source }: RunFilter): Way[] {
  const ways: [Way, boolean][] = [
    ['status', agentId !== null || statuses !== null],
    ['issues', issues !== null],
    ['user', userId !== null],
    ['queue', queueId !== null],
    ['source', source !== null],
  ]
  return ways.filter(([, isOpen]) => isOpen).map(([way]) => way)
}

/** One sum for each way there is: every one costs time on every row. */
function waySums(filter: RunFilter): Part {
  const sums: Record<Way, Part> = {
    all: part``,
    status: part`${sumWhere(ofState(filter))} as status,`,
    issues: part`${sumWhere(part`issues = any(${filter.issues}::int[])`)} as issues,`,
    user: part`${sumWhere(part`user_id = ${filter.userId}::uuid`)} as "user",`,
    queue: part`${sumWhere(part`case_queue_id = ${filter.queueId}::uuid`)} as queue,`,
    source: part`${sumWhere(part`source = ${filter.source}::text`)} as source,`,
  }
  return waysOf(filter).reduce((all, way) => part`${all} ${sums[way]}`, part``)
}

async function countEdges(sql: Sql, filter: RunFilter, [first, last]: [Edge, Edge]): Promise<number> {
  const [counted] = await sql<{ total: number }>`
    select ${edgeRows(filter, first)} + ${edgeRows(filter, last)} as total`
  return counted!.total
}

const edgeRows = (filter: RunFilter, [from, to]: Edge): Part => part`(
  select count(*) from run_search l where l.team_id = ${filter.teamId} and l.created_at >= ${from} and l.created_at < ${to}
    and ${fitsSearchRow(filter)})`
