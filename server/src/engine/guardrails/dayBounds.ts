// The bounds of a day: how many runs, how many calls that leave the service, how much money. Days are those of UTC, by the database's clock.
import { lockNotAvailable, one, part, sqlState, type Database, type Part, type Sql } from '../../base/db.ts'
import { createLane, TryAlone, type Lane } from '../../kit/lane.ts'
import { createWindows, type Lease, type Windows } from '../../kit/rateLimit.ts'
import { limitKnownAfterS } from '../counting/entitlements.ts'
import type { Days } from '../counting/usage.ts'
import { liveCostOfDays, runsOfMonth } from '../counting/usageSql.ts'
import type { RuleName, Rules } from './rules.ts'

/** Today by the database's clock. */
async function today(sql: Sql): Promise<Days> {
  return one(sql<Days>`
    select to_char(day, 'YYYY-MM-DD') as since, to_char(day + 1, 'YYYY-MM-DD') as until
    from (select (clock_timestamp() at time zone 'utc')::date as day) d`)
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/**
 * Calls are leased from the day's row, a two-hundredth of the bound at a time: a call costs a statement rarely, and processes together
 * never make more than the bound. Bounds up to 200 are exact. What a dead process had leased is lost until the day ends.
 */
export const createCallLeases = (sql: Sql): Windows =>
  createWindows({ bucketsMax: 10_000, lease: (name, limit, wanted) => lease(sql, name, limit, wanted) })

/** The name of a team's leases: another version may have another bound. */
export const leaseName = (teamId: string, { version }: Rules): string => `${teamId} ${version}`

/** Who waited for the day's row until the day was over gets no time that is left, and leases again. */
function lease(sql: Sql, name: string, limit: number, wanted: number): Promise<Lease> {
  const [teamId = ''] = name.split(' ')
  return one(sql<Lease>`
    with today as materialized (select (clock_timestamp() at time zone 'utc')::date as day),
    leased as (
      insert into guardrail_days as g (team_id, day, calls, granted)
      select ${teamId}, day, least(${wanted}::bigint, ${limit}::bigint), least(${wanted}::bigint, ${limit}::bigint) from today
      on conflict (team_id, day) do update set
        calls = g.calls + least(${wanted}::bigint, ${limit}::bigint - g.calls), granted = least(${wanted}::bigint, ${limit}::bigint - g.calls)
      where g.calls < ${limit}::bigint
      returning calls, granted
    )
    select coalesce(l.granted, 0) as granted, coalesce(${limit}::bigint - l.calls, 0) as unleased,
      extract(epoch from (t.day + 1)::timestamp at time zone 'utc' - clock_timestamp())::float8 * 1000 as left_ms
    from today t left join leased l on true`)
}

/** Whether a hold `h` with its step `s` counts: while its step is open. Its step is written a moment after it. */
const isHeld = part`coalesce(s.state in ('intent', 'waiting'), h.held_at > clock_timestamp() - interval '10 seconds')`

/**
 * Model calls under way that have no hold, of runs `r` with their last step `s`. The rule was not live when they were made, or the database lost
 * the hold in a crash and got the intent of the step only afterwards.
 */
const unheld = (teamId: string, butRunIds: string[]): Part => part`(
  select coalesce(sum(s.reserved_usd), 0) from runs r
  cross join lateral (select seq, kind, state, reserved_usd from run_steps where run_id = r.id order by seq desc limit 1) s
  where r.team_id = ${teamId} and r.counted_as = 'running' and r.reserved_usd > 0 and r.id <> all(${butRunIds}::uuid[])
    and s.kind = 'model' and s.state = 'intent' and not exists (select from guardrail_holds h where h.run_id = r.id and h.step = s.seq))`

/** What calls of models under way may cost at most, other than those of these runs. */
const heldBack = (teamId: string, butRunIds: string[]): Part => part`((
  select coalesce(sum(h.usd), 0) from guardrail_holds h left join run_steps s on s.run_id = h.run_id and s.seq = h.step
  where h.team_id = ${teamId} and h.run_id <> all(${butRunIds}::uuid[]) and ${isHeld}) + ${unheld(teamId, butRunIds)})`

interface CostHold {
  teamId: string
  runId: string
  step: number
  /** The most that the call may cost. */
  worst: string
  /** The most that the team may spend on this day. */
  limit: string
}

export interface CostHolds {
  /**
   * Holds the worst cost of a model call back, if it fits into the day. A call that is asked again after a crash has the hold that it had.
   * Undefined: it is held; otherwise when the next day begins.
   */
  hold(hold: CostHold): Promise<number | undefined>
}

/**
 * A team has a lane with one flush at a time. Its calls could not be held side by side, since each must see those before it, and those that
 * waited for the lock of the day would take connections from other teams. In the lane those that wait share the next transaction.
 */
export function createCostHolds(db: Database): CostHolds {
  const lanes = new Map<string, { lane: Lane<CostHold, number | undefined>; users: number }>()
  return {
    async hold(hold) {
      const { teamId } = hold
      const mine = lanes.get(teamId) ?? { lane: laneOfTeam(db), users: 0 }
      lanes.set(teamId, mine)
      mine.users += 1
      try {
        return await mine.lane.add(hold)
      } finally {
        mine.users -= 1
        if (mine.users === 0) lanes.delete(teamId)
      }
    },
  }
}

const laneOfTeam = (db: Database): Lane<CostHold, number | undefined> =>
  createLane({
    flush: (holds) => untilUnlocked(() => holdCosts(db, holds)),
    keyOf: ({ runId }) => runId,
    teamOf: ({ teamId }) => teamId,
    flushesMax: 1,
  })

/** A day whose row is locked for long is asked for again, for all of them: one by one, each would wait as long as all together. */
async function untilUnlocked<T>(hold: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await hold()
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable) throw error
    }
  }
}

/** One transaction of a team at a time, over all processes: whoever comes second sees the first. */
function holdCosts(db: Database, holds: CostHold[]): Promise<(number | undefined)[]> {
  const { teamId } = holds[0]!
  const runIds = holds.map(({ runId }) => runId)
  const worst = part`unnest(${holds.map((hold) => hold.worst)}::numeric[])`
  const limits = part`unnest(${holds.map(({ limit }) => limit)}::numeric[])`
  return db.transaction(async (sql) => {
    const day = await lockDay(sql, teamId)
    const { fit } = await one(sql<{ fit: boolean }>`
      select ${liveCostOfDays(teamId, day)} + ${heldBack(teamId, runIds)} + (select sum(usd) from ${worst} usd)
        <= (select min(usd) from ${limits} usd) as fit`)
    // some of them may fit by themselves
    if (!fit && holds.length > 1) throw new TryAlone('not all calls fit into the day')
    if (!fit) {
      // a call that waits holds nothing back from others
      await sql`delete from guardrail_holds where run_id = ${runIds[0]}`
      return [startOf(day.until)]
    }
    await writeHolds(sql, teamId, holds)
    return holds.map(() => undefined)
  })
}

/** What is over is erased with the next hold, so that only calls under way are added up. */
async function writeHolds(sql: Sql, teamId: string, holds: CostHold[]): Promise<void> {
  await sql`
    with wanted as materialized (
      select * from unnest(${holds.map(({ runId }) => runId)}::uuid[], ${holds.map(({ step }) => step)}::int[],
        ${holds.map(({ worst }) => worst)}::numeric[]) as w (run_id, step, usd)
    ), over as (
      select h.run_id, h.step from guardrail_holds h left join run_steps s on s.run_id = h.run_id and s.seq = h.step
      where h.team_id = ${teamId} and not exists (select from wanted w where w.run_id = h.run_id and w.step = h.step)
        and (h.run_id in (select run_id from wanted) or not ${isHeld})
      for update of h skip locked
    ), erased as (
      delete from guardrail_holds h using over where h.run_id = over.run_id and h.step = over.step
    )
    insert into guardrail_holds (run_id, step, team_id, usd, held_at)
    select run_id, step, ${teamId}, usd, clock_timestamp() from wanted order by run_id
    on conflict (run_id, step) do update set usd = excluded.usd, held_at = excluded.held_at`
}

/**
 * Locks the team's row of today, by the database's clock. The commit does not wait for the disk: a call is made only after the intent of its
 * step is on disk, and what was committed before that is there with it. If PostgreSQL crashes between the two, the hold may be lost, while the
 * process writes the intent when PostgreSQL is back: then the intent counts (`unheld`). Whoever holds before it is written does not see it, so a
 * crash of PostgreSQL may let a day go over its bound by the calls that were between hold and intent.
 */
const lockDay = (sql: Sql, teamId: string): Promise<Days> =>
  one(sql<Days>`
    insert into guardrail_days as g (team_id, day) values (${teamId}, (clock_timestamp() at time zone 'utc')::date)
    on conflict (team_id, day) do update set calls = g.calls
    returning to_char(day, 'YYYY-MM-DD') as since, to_char(day + 1, 'YYYY-MM-DD') as until,
      set_config('synchronous_commit', 'off', true)`)

/** What a team may still start today. */
interface DayRoom {
  runs: number
  /** The reason that a start which does not fit gets. */
  refusal: string
  rule: RuleName
}

/** Exact while the caller's transaction holds the lock of the team's slots, as every start does. */
export async function dayRoom(sql: Sql, teamId: string, rules: Rules): Promise<DayRoom | undefined> {
  const day = await today(sql)
  return (await roomByCost(sql, teamId, rules, day)) ?? (await roomByRuns(sql, teamId, rules, day))
}

const remedy = ({ version }: Rules, { until }: Days): string =>
  `The next day begins at ${until}T00:00:00Z; before that somebody who manages keys can change the guardrails (version ${version}).`

async function roomByCost(sql: Sql, teamId: string, rules: Rules, day: Days): Promise<DayRoom | undefined> {
  const { cost_usd_per_day: limit } = rules
  if (limit === null) return undefined
  const { cost, is_reached } = await one(sql<{ cost: string; is_reached: boolean }>`
    select trim_scale(cost)::text as cost, cost >= ${limit}::numeric as is_reached
    from (select ${liveCostOfDays(teamId, day)} + ${heldBack(teamId, [])} as cost) spent`)
  if (!is_reached) return undefined
  const has = `This team may spend ${limit} dollars a day on models (cost_usd_per_day), and ${cost} are spent or held back`
  return { runs: 0, refusal: `${has}. ${remedy(rules, day)}`, rule: 'cost_usd_per_day' }
}

async function roomByRuns(sql: Sql, teamId: string, rules: Rules, day: Days): Promise<DayRoom | undefined> {
  const { runs_per_day: limit, since } = rules
  if (limit === null) return undefined
  const [row] = await sql<{ runs: number; is_to_count: boolean }>`
    select runs, coalesce(counted_at < ${since}::timestamptz + make_interval(secs => ${limitKnownAfterS}), true) as is_to_count
    from guardrail_days where team_id = ${teamId} and day = ${day.since}::date`
  const used = !row || row.is_to_count ? await countFromRecords(sql, teamId, day) : row.runs
  const has = `This team may start ${limit} runs a day (runs_per_day), and ${Math.max(used, limit)} are started`
  return { runs: Math.max(0, limit - used), refusal: `${has}. ${remedy(rules, day)}`, rule: 'runs_per_day' }
}

/** With what was started before the rule was live, and by processes that did not know it yet. */
async function countFromRecords(sql: Sql, teamId: string, day: Days): Promise<number> {
  const { runs } = await one(sql<{ runs: number }>`
    insert into guardrail_days (team_id, day, runs, counted_at) values (${teamId}, ${day.since}::date, ${runsOfMonth(teamId, day)}, now())
    on conflict (team_id, day) do update set runs = excluded.runs, counted_at = excluded.counted_at
    returning runs`)
  return runs
}

/** Counts starts, after `dayRoom` in its transaction. */
export async function countDayStarts(sql: Sql, teamIds: string[]): Promise<void> {
  if (teamIds.length === 0) return
  await sql`
    update guardrail_days g set runs = g.runs + s.runs
    from (select team_id, count(*) as runs from unnest(${teamIds}::uuid[]) as t (team_id) group by team_id) s
    where g.team_id = s.team_id and g.day = (clock_timestamp() at time zone 'utc')::date and g.counted_at is not null`
}

/** A rule that lets no run of the team start today. */
interface ReachedRule {
  rule: Extract<RuleName, 'runs_per_day' | 'cost_usd_per_day'>
  version: number
  /** When the next day begins. */
  until: Date
}

/** What keeps starts back at the moment, as far as a reader can tell; `dayRoom` has the last word. */
export async function reachedRules(sql: Sql, teamId: string, rules: Rules): Promise<ReachedRule[]> {
  const { runs_per_day: runs, cost_usd_per_day: cost, version } = rules
  if (runs === null && cost === null) return []
  const day = await today(sql)
  const reached = await one(sql<Record<ReachedRule['rule'], boolean>>`
    select coalesce(${runsOfMonth(teamId, day)} >= ${runs}::bigint, false) as runs_per_day,
      coalesce(${liveCostOfDays(teamId, day)} + ${heldBack(teamId, [])} >= ${cost}::numeric, false) as cost_usd_per_day`)
  const until = new Date(startOf(day.until))
  return (['cost_usd_per_day', 'runs_per_day'] as const)
    .filter((rule) => reached[rule])
    .map((rule) => ({ rule, version, until }))
}

/** What a team did today of what can be bounded. */
export async function dayUse(sql: Sql, teamId: string) {
  const day = await today(sql)
  const used = await one(sql<{ runs: number; cost_usd: string; outside_calls: number }>`
    select ${runsOfMonth(teamId, day)}::int as runs, trim_scale(${liveCostOfDays(teamId, day)} + ${heldBack(teamId, [])})::text as cost_usd,
      coalesce((select calls from guardrail_days where team_id = ${teamId} and day = ${day.since}::date), 0)::int as outside_calls`)
  return { day: day.since, ...used }
}
