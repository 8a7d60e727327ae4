// The tool operations_runs: how many runs there were, by status, agent, hour or day, and how they ended.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { allAgents, countedAs, unfoldedCounts, type CountedAs } from '../../engine/counting/runCounts.ts'
import { spansOf, type Range } from '../../engine/counting/timeSpans.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { figures, firstRows, latestRows, shareOf, shownSpan } from './answer.ts'
import { daysOf, hoursOf, nameOfHour, spanBefore, spanFields, spanOf, type Span } from './span.ts'
import { agentField, agentIdOf, namesOf } from './teamAgents.ts'

const groupings = ['status', 'agent', 'hour', 'day'] as const
type Grouping = (typeof groupings)[number]

export const operationsRuns = figures({
  name: 'operations_runs',
  description:
    'Count this team’s runs by the time of their creation, and by how they stand now. `rows` is a list of flat objects: by hour ' +
    '{hour, runs, active, completed, failed, stopped}, by day the same with day, by agent the same with agent_id, agent and ' +
    'success_rate, by status {status, runs}. active: not ended yet. success_rate: completed of those that completed or failed, from 0 to 1, ' +
    'or null. `totals` adds up the same time, and `before` the time of the same length before it; `now` counts all runs that are active at this moment, and of those the ones that wait for a person. Runs of artifacts are not counted. ' +
    'At most 500 rows; left_out says how many more there are. Times are UTC.',
  input: Type.Object(
    {
      by: Type.Optional(oneOf(groupings, { description: 'What a row stands for. day unless given.', default: 'day' })),
      agent: agentField,
      ...spanFields('7d, or 24h by hour'),
    },
    { additionalProperties: false },
  ),
  async read({ sql, teamId, input, now }) {
    const by = input.by ?? 'day'
    const span = spanOf(input, { now, usual: by === 'hour' ? '24h' : '7d', unit: 'hour' })
    const agentId = await agentIdOf(sql, teamId, input.agent)
    const counted = await countRuns(sql, { teamId, agentId, by, span })
    const names = by === 'agent' ? await namesOf(sql, teamId, [...counted.keys()]) : new Map<string, string>()
    const before = await countRuns(sql, { teamId, agentId, by: 'status', span: spanBefore(span) })
    return {
      by,
      ...shownSpan(span),
      ...rowsOf(by, { counted, span, names }),
      totals: totalsOfRuns(counted),
      before: totalsOfRuns(before),
      now: await countNow(sql, teamId, agentId),
    }
  },
})

type Counts = Partial<Record<CountedAs, number>>

interface Wanted {
  teamId: string
  agentId: string | undefined
  by: Grouping
  span: Span
}

/** What each row stands for (an hour, a day, the id of an agent) and its runs by status. */
export async function countRuns(sql: Sql, { teamId, agentId, by, span }: Wanted): Promise<Map<string, Counts>> {
  const { days, hours, wholeHours } = spansOf(span.since, span.until)
  // the count of a day does not say which hours it is of
  const pieces =
    by === 'hour'
      ? [inUnit('hour', wholeHours)]
      : [inUnit('day', days), inUnit('hour', hours[0]), inUnit('hour', hours[1])]
  const agents =
    agentId !== undefined
      ? part`agent_id = ${agentId}`
      : by === 'agent'
        ? part`agent_id <> ${allAgents}`
        : part`agent_id = ${allAgents}`
  const rows = await sql<{ key: string; counted_as: CountedAs; runs: number }>`
    select ${keyOf(by)} as key, counted_as, sum(runs)::bigint as runs
    from (
      ${pieces.reduce(
        (all, { unit, range, hour }) => part`${all}
        select agent_id, ${hour} as hour, counted_as, runs, cost_usd from run_counts
        where team_id = ${teamId} and ${agents} and unit = ${unit} and at >= ${range[0]} and at < ${range[1]}
        union all`,
        empty,
      )}
      ${unfoldedCounts({ teamId, agentId, source: null })}
    ) counted
    where hour >= ${wholeHours[0]} and hour < ${wholeHours[1]}
    group by 1, 2 having sum(runs) <> 0`
  const counted = new Map<string, Counts>()
  for (const { key, counted_as, runs } of rows) counted.set(key, { ...counted.get(key), [counted_as]: runs })
  return counted
}

const inUnit = (unit: 'day' | 'hour', range: Range) => ({
  unit,
  range,
  hour: unit === 'day' ? part`at * 24` : part`at`,
})

const keyOf = (by: Grouping): Part => {
  if (by === 'agent') return part`agent_id::text`
  if (by === 'hour') return part`hour::text`
  if (by === 'day') return part`(date '1970-01-01' + floor(hour / 24.0)::int)::text`
  return part`''`
}

/** Runs that have not ended, whenever they were created. */
export async function countNow(sql: Sql, teamId: string, agentId?: string) {
  const rows = await sql<{ counted_as: CountedAs; runs: number }>`
    select counted_as, sum(runs)::bigint as runs
    from (
      select counted_as, runs from run_counts
      where team_id = ${teamId} and agent_id = ${agentId ?? allAgents} and unit = 'all' and at = 0
      union all
      select counted_as, runs from (${unfoldedCounts({ teamId, agentId, source: null })}) tail
    ) counted group by 1`
  const counts: Counts = Object.fromEntries(rows.map(({ counted_as, runs }) => [counted_as, runs]))
  return { active: shown(counts).active, waiting_for_person: counts.needs_attention ?? 0 }
}

export const totalsOfRuns = (counted: Map<string, Counts>) => figuresOfRuns(addedUp([...counted.values()]))

export function figuresOfRuns(counts: Counts) {
  const row = shown(counts)
  return { ...row, success_rate: shareOf(row.completed, row.completed + row.failed) }
}

const addedUp = (all: Counts[]): Counts =>
  Object.fromEntries(countedAs.map((status) => [status, all.reduce((sum, one) => sum + (one[status] ?? 0), 0)]))

function shown(counts: Counts) {
  const { completed = 0, failed = 0, stopped = 0, pending = 0, running = 0, waiting = 0, needs_attention = 0 } = counts
  const active = pending + running + waiting + needs_attention
  return { runs: active + completed + failed + stopped, active, completed, failed, stopped }
}

interface Counted {
  counted: Map<string, Counts>
  span: Span
  names: Map<string, string>
}

function rowsOf(by: Grouping, { counted, span, names }: Counted) {
  if (by === 'hour') {
    return latestRows(
      hoursOf(span).map((hour) => ({ hour: nameOfHour(hour), ...shown(counted.get(String(hour)) ?? {}) })),
    )
  }
  if (by === 'day') return latestRows(daysOf(span).map((day) => ({ day, ...shown(counted.get(day) ?? {}) })))
  if (by === 'status') {
    const all = addedUp([...counted.values()])
    return firstRows(countedAs.map((status) => ({ status, runs: all[status] ?? 0 })))
  }
  const rows = [...counted].map(([agent_id, counts]) => {
    return { agent_id, agent: names.get(agent_id) ?? agent_id, ...figuresOfRuns(counts) }
  })
  return firstRows(rows.toSorted((one, other) => other.runs - one.runs || (one.agent < other.agent ? -1 : 1)))
}
