// Runs that fit a filter, counted by bucket of time and status: from the counts of hours where they say enough, otherwise
// run by run.
import { empty, one, part, type Part, type Sql } from '../../base/db.ts'
import { countedAs, countsIn, unfoldedCounts, type CountedAs } from '../../engine/counting/runCounts.ts'
import { spansOf, type Edge, type Range } from '../../engine/counting/timeSpans.ts'
import { everyRow, leastOf, type IndexPath } from '../../kit/lists/indexPath.ts'
import type { RunFilter } from './runFilter.ts'
import { isOfArtifacts, openPaths, pathByStatus, pathsOf } from './runIndexPaths.ts'
import { totalsOf } from './runTotals.ts'

/** How many runs of the time are looked at in the index, and how many with their words or their cost, which takes a look at each run. */
const runsMax = 1_000_000
const wordRunsMax = 50_000
const costRunsMax = 50_000
/**
 * How many entries of the index by status, which says enough by itself, are read in the time that finding a run by its id takes: about 0.6 and
 * 10 µs, measured at 300,000 runs. An index of its own for each field would spare that, but every change of a run would write it.
 */
const lookUpCost = 16

export interface TimedFilter extends RunFilter {
  since: Date
  until: Date
}

export interface BucketCount {
  /** From 0, in the order of the starts. */
  bucket: number
  counted_as: CountedAs
  runs: number
  cost_usd: number
}

interface Counted {
  rows: BucketCount[]
  /** False: there were too many runs to read what they cost. */
  hasCost: boolean
}

const dayMs = 86_400_000
const hourMs = 3_600_000

/** Undefined: too many runs were made in this time to count them by these fields. */
export async function countOverTime(sql: Sql, filter: TimedFilter, starts: number[]): Promise<Counted | undefined> {
  if (isCounted(filter) && new Set(starts.map(hourOf)).size === starts.length) return fromCounts(sql, filter, starts)
  const runs = await runsInTime(sql, filter)
  const short = await shortPath(sql, filter, runs)
  if (short) return { rows: await sql<BucketCount>`${countedOn(short, starts)}`, hasCost: true }
  if (runs > (filter.words === null ? runsMax : wordRunsMax)) return undefined
  const hasCost = runs <= costRunsMax
  const rows = await sql<BucketCount>`
    select bucket, counted_as, runs, cost_usd::float8 from (${countedRuns(filter, [filter.since, filter.until], starts, hasCost)}) counted`
  return { rows, hasCost }
}

const hourOf = (start: number): number => Math.floor(start / hourMs)

/** Whether the filter asks only for what the counts of hours say. */
const isCounted = (filter: RunFilter): boolean => {
  const { userId, queueId, issues, words } = filter
  return !isOfArtifacts(filter) && [userId, queueId, issues, words].every((field) => field === null)
}

async function runsInTime(sql: Sql, filter: TimedFilter): Promise<number> {
  const ofTeam = { ...filter, agentId: null, statuses: null, issues: null, userId: null, queueId: null, words: null }
  const { total } = await totalsOf(sql, { ...ofTeam, source: isOfArtifacts(filter) ? filter.source : null })
  return total
}

/**
 * The path of a member, a queue or a finding, where it is so short that finding each of its runs takes less time than reading the whole time
 * by status. `runs` are those of the team in the time.
 */
async function shortPath(sql: Sql, filter: TimedFilter, runs: number): Promise<IndexPath | undefined> {
  const { userId, queueId, issues, words } = filter
  if (isOfArtifacts(filter) || words !== null || (userId === null && queueId === null && issues === null))
    return undefined
  const ofAllTime = await totalsOf(sql, { ...filter, since: null, until: null })
  const share = ofAllTime.runs === 0 ? 1 : runs / ofAllTime.runs
  const names = openPaths(filter)
  const paths = pathsOf(filter, { ...ofAllTime, share }).filter((_, n) => names[n] !== 'status')
  const best = leastOf(paths, ({ length }) => length)
  return best.length * lookUpCost < runs ? best : undefined
}

/** SQL: the runs on a path, by bucket and status, each found by its id. */
function countedOn(path: IndexPath, starts: number[]): Part {
  const found = everyRow(path, part`${path.id} as id, ${path.column('created_at')} as created_at`, empty)
  return part`
    select width_bucket(f.created_at, ${times(starts)}::timestamptz[]) - 1 as bucket, o.counted_as, count(*) as runs,
      sum(case when o.completed_at is null then 0 else o.cost_usd end)::float8 as cost_usd
    from (${found}) f, lateral (select o.counted_as, o.completed_at, o.cost_usd from runs o where o.id = f.id offset 0) o
    group by 1, 2`
}

/**
 * From the counts of days and hours, and from the runs at the edges. Where a bucket begins inside an hour, as midnight does in some zones, the
 * whole hour is counted there, and what was made before that moment is moved to the bucket before. All of it is one statement: a run that
 * changes between two would be counted in one bucket and taken away from another.
 */
async function fromCounts(sql: Sql, filter: TimedFilter, starts: number[]): Promise<Counted | undefined> {
  const { days, hours, wholeHours, edges } = spansOf(filter.since, filter.until)
  const isWhole = (hour: number) => hour >= wholeHours[0] && hour < wholeHours[1]
  const inside = starts.filter((start) => start % hourMs !== 0 && isWhole(hourOf(start)))
  const runs = inside.length === 0 ? 0 : await runsInHours(sql, filter, inside.map(hourOf))
  if (runs > runsMax) return undefined
  const hasCost = runs <= costRunsMax
  // the count of a day does not say which hours it is of
  const isOfDays = starts.every((start) => start % dayMs === 0)
  const pieces: [unit: 'day' | 'hour', hour: Part, range: Range][] = isOfDays
    ? [
        ['day', part`at * 24`, days],
        ['hour', part`at`, hours[0]],
        ['hour', part`at`, hours[1]],
      ]
    : [['hour', part`at`, wholeHours]]
  const moved = inside.length === 0 ? empty : part`union all ${movedRuns(filter, inside, starts, hasCost)}`
  const rows = await sql<BucketCount>`
    select bucket, counted_as, sum(runs)::bigint as runs, sum(cost_usd)::float8 as cost_usd
    from (
      select width_bucket(hour, ${starts.map(hourOf)}::int[]) - 1 as bucket, counted_as, runs, cost_usd
      from (
        ${pieces.reduce(
          (all, [unit, hour, [from, to]]) => part`${all}
          select ${hour} as hour, counted_as, runs, cost_usd from ${countsIn(filter, unit)} and at >= ${from} and at < ${to}
          union all`,
          empty,
        )}
        select hour, counted_as, runs, cost_usd from (${unfoldedCounts(filter)}) tail
        where hour >= ${wholeHours[0]} and hour < ${wholeHours[1]}
      ) whole
      where counted_as = any(${filter.statuses ?? countedAs}::text[])
      union all ${countedRuns(filter, edges[0], starts, hasCost)}
      union all ${countedRuns(filter, edges[1], starts, hasCost)}
      ${moved}
    ) counted
    group by 1, 2 having sum(runs) <> 0`
  return { rows, hasCost }
}

/** How many runs these hours have: of every source, for the index that they are read by does not begin with it. */
async function runsInHours(sql: Sql, filter: TimedFilter, hours: number[]): Promise<number> {
  const ofAll = { ...filter, source: null }
  const { runs } = await one(sql<{ runs: number }>`
    select coalesce(sum(runs), 0)::bigint as runs from (
      select counted_as, runs from ${countsIn(ofAll, 'hour')} and at = any(${hours}::int[])
      union all
      select counted_as, runs from (${unfoldedCounts(ofAll)}) tail where hour = any(${hours}::int[])
    ) counted
    where counted_as = any(${filter.statuses ?? countedAs}::text[])`)
  return runs
}

/** SQL: the runs of one range of time, by bucket and status. Without the cost, the index runs_by_status answers alone. */
function countedRuns(filter: TimedFilter, [since, until]: Edge, starts: number[], hasCost: boolean): Part {
  const { ranges, rows } = pathByStatus(filter, part`r.created_at >= ${since} and r.created_at < ${until}`)
  const found = part`select r.created_at, r.counted_as, ${costOf(hasCost)} as cost from ${rows}`
  return part`
    select width_bucket(f.created_at, ${times(starts)}::timestamptz[]) - 1 as bucket, f.counted_as, count(*) as runs, sum(f.cost) as cost_usd
    from ${ranges === undefined ? part`(${found}) f` : part`unnest(${ranges}) as range (value), lateral (${found}) f`}
    group by 1, 2`
}

/**
 * SQL: for each of these starts the runs of its hour that were made before it, taken from its bucket and given to the one before. `offset 0`
 * keeps each of them a range of the index: joined otherwise, the runs of all time would be compared with every start.
 */
function movedRuns(filter: TimedFilter, inside: number[], starts: number[], hasCost: boolean): Part {
  const { ranges, rows } = pathByStatus(filter, part`r.created_at >= early.since and r.created_at < early.until`)
  const hours = inside.map((start) => hourOf(start) * hourMs)
  return part`
    select early.bucket - side.back, f.counted_as, side.sign * f.runs, side.sign * f.cost
    from unnest(${times(hours)}::timestamptz[], ${times(inside)}::timestamptz[], ${inside.map((start) => starts.indexOf(start))}::int[])
        as early (since, until, bucket),
      unnest(${ranges}) as range (value),
      lateral (
        select range.value as counted_as, count(*) as runs, sum(cost) as cost
        from (select ${costOf(hasCost)} as cost from ${rows} offset 0) each having count(*) > 0
      ) f,
      (values (0, -1), (1, 1)) as side (back, sign)`
}

const costOf = (hasCost: boolean): Part =>
  hasCost ? part`case when r.completed_at is null then 0 else r.cost_usd end` : part`0`

const times = (starts: number[]): string[] => starts.map((start) => new Date(start).toISOString())
