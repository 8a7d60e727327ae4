// What a signal would have measured in the last week, for signals whose past is stored: by the hour, cost by the day.
import type { Sql } from '../../../base/db.ts'
import { countsIn, unfoldedCounts } from '../../../engine/counting/runCounts.ts'
import { usageOf } from '../../../engine/counting/usage.ts'
import { spentBy } from './cost.ts'
import type { Asked } from './measured.ts'
import { ofScope } from './scheduleMisses.ts'

interface Moment {
  at: Date
  value: number | null
}

const hourMs = 3_600_000
const hoursShown = 7 * 24
const daysShown = 7
/** How many missed due times are read; a team with more has other troubles. */
const missesMax = 10_000

/** Null: what it was in the past is stored nowhere. */
export async function historyOf(sql: Sql, asked: Asked, now: Date): Promise<Moment[] | null> {
  if (asked.signal === 'failure_rate') return failureRates(sql, asked, now)
  if (asked.signal === 'cost') return costs(sql, asked, now)
  return asked.signal === 'schedule_misses' ? misses(sql, asked, now) : null
}

/** The end of each of the last hours, the oldest first; the last one is not over yet. */
const hoursUntil = (now: Date): number[] => {
  const last = Math.floor(now.getTime() / hourMs)
  return Array.from({ length: hoursShown }, (_, back) => last - hoursShown + 1 + back)
}

/** Runs are counted by the hour in which they began, and by how they have ended since then. A window is rounded up to whole hours. */
async function failureRates(sql: Sql, asked: Asked, now: Date): Promise<Moment[]> {
  const width = Math.ceil((asked.window_minutes ?? 60) / 60)
  const hours = hoursUntil(now)
  const of = { teamId: asked.team_id, agentId: asked.scope_id, source: null }
  const first = hours[0]! - width + 1
  const rows = await sql<{ hour: number; failed: number; completed: number }>`
    select hour, coalesce(sum(runs) filter (where counted_as = 'failed'), 0)::float8 as failed,
      coalesce(sum(runs) filter (where counted_as = 'completed'), 0)::float8 as completed
    from (
      select at as hour, counted_as, runs from ${countsIn(of, 'hour')} and at >= ${first}::int
      union all
      select hour, counted_as, runs from (${unfoldedCounts(of)}) unfolded where hour >= ${first}::int
    ) counted group by hour`
  const known = new Map(rows.map((row) => [row.hour, row]))
  return hours.map((hour) => {
    const within = Array.from({ length: width }, (_, back) => known.get(hour - back))
    const sum = (name: 'failed' | 'completed') => within.reduce((all, row) => all + (row?.[name] ?? 0), 0)
    const ended = sum('failed') + sum('completed')
    const hasRate = ended > 0 && ended >= (asked.min_runs ?? 1)
    return { at: new Date((hour + 1) * hourMs), value: hasRate ? (100 * sum('failed')) / ended : null }
  })
}

async function costs(sql: Sql, asked: Asked, now: Date): Promise<Moment[]> {
  const width = (asked.window_minutes ?? 1440) / 1440
  const dayMs = 24 * hourMs
  const today = Math.floor(now.getTime() / dayMs)
  const text = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)
  const days = { since: text(today - daysShown - width + 2), until: text(today + 1) }
  const rows = await sql<{ day: string; usd: number }>`
    select to_char(day, 'YYYY-MM-DD') as day, sum(cost_usd)::float8 as usd from (${usageOf(asked.team_id, days)}) used
    ${spentBy(asked)} group by 1`
  const known = new Map(rows.map(({ day, usd }) => [day, usd]))
  return Array.from({ length: daysShown }, (_, nth) => {
    const day = today - daysShown + 1 + nth
    const within = Array.from({ length: width }, (_day, back) => known.get(text(day - back)) ?? 0)
    return { at: new Date((day + 1) * dayMs), value: within.reduce((all, usd) => all + usd, 0) }
  })
}

async function misses(sql: Sql, asked: Asked, now: Date): Promise<Moment[]> {
  const widthMs = (asked.window_minutes ?? 1440) * 60_000
  const hours = hoursUntil(now)
  const since = new Date(hours[0]! * hourMs - widthMs)
  const rows = await sql<{ missed_at: Date }>`
    select m.missed_at from schedule_misses m where ${ofScope(asked)} and m.missed_at >= ${since} order by m.missed_at desc limit ${missesMax}`
  const times = rows.map(({ missed_at }) => missed_at.getTime())
  return hours.map((hour) => {
    const end = (hour + 1) * hourMs
    return { at: new Date(end), value: times.filter((at) => at < end && at >= end - widthMs).length }
  })
}
