// Measures the rules that are due, as part of every working process: each rule by one of them at a time, teams in turns.
import { isConnectionTrouble, isPassing, part, type Sql } from '../../base/db.ts'
import { inTurns } from '../../base/fairPool.ts'
import type { Context } from '../../kit/context.ts'
import type { Tick } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { judge } from './judge.ts'
import { moveRule, switchOff, type TakenRule } from './moves.ts'
import { scopeName } from './scopeName.ts'
import { measure } from './signals/measure.ts'
import { factsOf, signals } from './signals/signal.ts'

/** How many rules one statement takes. */
const atOnce = 50
/** How long a rule rests after its measurement took too long. */
const restS = 300

const asked = { isDue: part`exists (select from alert_rules where next_at <= now())` }

export const watchRules: Tick = async ({ context, signal }) => {
  if (!(await lookFor(context, asked)).isDue) return
  while (!signal.aborted) {
    const taken = await takeRules(context.db.sql)
    for (const rule of inTurns(taken, ({ team_id }) => team_id)) {
      if (signal.aborted) return
      await watchOne(context, rule)
    }
    if (taken.length < atOnce) return
  }
}

/** SQL: seconds until the next measurement, by the signal. */
const everyS = signals
  .map((signal) => part`when ${signal} then ${factsOf[signal].everyS}::int`)
  .reduce((all, one) => part`${all} ${one}`)

/**
 * Takes the oldest of each team, then the next. A rule that is taken is due again after its pause, so a process that dies leaves it to the
 * others.
 */
const takeRules = (sql: Sql): Promise<TakenRule[]> => sql<TakenRule>`
  with due as materialized (
    select id from (
      select id, next_at, row_number() over (partition by team_id order by next_at, id) as turn
      from (select id, team_id, next_at from alert_rules where next_at <= now() order by next_at limit ${atOnce * 20}) d
    ) d order by turn, next_at limit ${atOnce}
  ),
  taken as materialized (
    select r.id from alert_rules r join due on due.id = r.id where r.next_at <= now() for update of r skip locked
  )
  update alert_rules r set next_at = now() + make_interval(secs => case r.signal ${everyS} end)
  from taken where r.id = taken.id
  returning r.id, r.team_id, r.name, r.signal, r.scope, r.scope_id, r.threshold, r.clear_threshold, r.window_minutes, r.min_runs,
    r.for_minutes, r.clear_minutes, r.remind_hours, r.tells, r.pause_agent, r.enabled, r.created_by, r.state, r.state_since, r.measured_value,
    r.measured_at, r.problem, r.created_at, r.updated_at, now()::timestamptz(3) as now`

/** A rule that cannot be measured must not delay the others. */
async function watchOne(context: Context, rule: TakenRule): Promise<void> {
  try {
    await watch(context, rule)
  } catch (error) {
    if (isConnectionTrouble(error)) throw error
    // somebody of its team holds what it needs, for example the agent that it pauses: it is due again soon, and the next rule may be another team's
    if (isPassing(error)) return context.log.warn({ err: error, rule_id: rule.id }, 'a rule of alerts has to wait')
    context.log.error({ err: error, rule_id: rule.id }, 'could not measure a rule of alerts; will retry')
    await rest(context, rule, 'The server failed to measure it. It tries again; if this stays, ask the operator.')
  }
}

async function watch(context: Context, rule: TakenRule): Promise<void> {
  const { sql } = context.db
  const name = await scopeName(sql, rule)
  if (name === undefined) return switchOff(context, rule)
  // what is behind a value is read when it opens an incident or may be the highest of one
  const measured = await measure(context.db, rule, (value) => value !== null && value >= rule.threshold)
  if (!measured)
    return rest(context, rule, 'It could not be measured in two seconds. It is tried again in five minutes.')
  await moveRule(context, rule, judge(rule, measured.value, rule.now), measured, name)
}

async function rest({ db }: Context, rule: TakenRule, problem: string): Promise<void> {
  await db.sql`
    update alert_rules set problem = ${problem}, next_at = now() + make_interval(secs => ${restS})
    where id = ${rule.id} and team_id = ${rule.team_id} and updated_at = ${rule.updated_at} and enabled`
}
