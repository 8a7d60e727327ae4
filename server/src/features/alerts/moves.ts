// The moves of rules and incidents: each is one transaction whose first statement expects what was seen, and which also writes what is told.
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { agentPausesOf } from '../../kit/registry.ts'
import type { AlertRule } from './alertRule.ts'
import type { AlertIncident } from './incident.ts'
import type { RuleState, Verdict } from './judge.ts'
import type { Measurement } from './signals/measure.ts'
import { factsOf, valueText } from './signals/signal.ts'

/** A rule as it was when it was taken to be measured. */
export type TakenRule = Omit<AlertRule, 'incident_id' | 'scope_name' | 'state_since' | 'updated_at'> & {
  state_since: Date
  updated_at: Date
  now: Date
}

/** False: somebody changed the rule since it was taken, and nothing happened. */
export async function moveRule(
  context: Context,
  rule: TakenRule,
  { state, moves }: Verdict,
  measured: Measurement,
  name: string,
): Promise<boolean> {
  const hasIncident = rule.state === 'open' || rule.state === 'closing'
  // most of the time a rule is well, and there is nothing to write but its value
  if (moves === undefined && !hasIncident) return noteState(context.db.sql, rule, state, measured.value)
  return context.db.transaction(async (sql) => {
    if (!(await noteState(sql, rule, state, measured.value))) return false
    if (moves === 'opens') await openIncident(context, sql, rule, measured, name)
    else await noteValue(sql, rule, measured)
    // who hears that it is over need not hear that it is still open
    if (moves === undefined) await remind(sql, rule)
    if (moves === 'closes') await closeIncident(sql, { ruleId: rule.id, teamId: rule.team_id, because: 'recovered' })
    return true
  })
}

/** False: the rule is not as it was taken. Somebody changed it, or measured it later and was faster. */
async function noteState(sql: Sql, rule: TakenRule, state: RuleState, value: number | null): Promise<boolean> {
  const noted = await sql`
    update alert_rules set state = ${state}, state_since = case when state = ${state} then state_since else now() end,
      measured_value = ${value}, measured_at = now(), problem = null
    where id = ${rule.id} and team_id = ${rule.team_id} and state = ${rule.state} and state_since = ${rule.state_since}
      and updated_at = ${rule.updated_at} and measured_at is not distinct from ${rule.measured_at}::timestamptz and enabled
    returning id`
  return noted.length > 0
}

async function openIncident(
  context: Context,
  sql: Sql,
  rule: TakenRule,
  { value, behind }: Measurement,
  name: string,
): Promise<void> {
  const id = newId()
  const { title } = factsOf[rule.signal]
  const reason = `The rule “${rule.name}” paused it: ${title} ${valueText(rule.signal, value)}.`
  const isPaused =
    rule.pause_agent &&
    rule.scope_id !== null &&
    (await agentPausesOf(context).pause({
      sql,
      teamId: rule.team_id,
      agentId: rule.scope_id,
      reason,
      incidentId: id,
    }))
  await sql`
    insert into alert_incidents (id, team_id, rule_id, rule_name, signal, scope, scope_id, scope_name, threshold, tells, last_value, peak_value,
      behind, paused_agent_id)
    values (${id}, ${rule.team_id}, ${rule.id}, ${rule.name}, ${rule.signal}, ${rule.scope}, ${rule.scope_id}, ${name}, ${rule.threshold},
      ${rule.tells}::uuid[], ${value}, ${value}, ${JSON.stringify(behind)}::jsonb, ${isPaused ? rule.scope_id : null})`
  await tell(sql, rule.team_id, id, 'opened')
}

/** The records behind it are those of the highest value. */
async function noteValue(sql: Sql, rule: TakenRule, { value, behind }: Measurement): Promise<void> {
  await sql`
    update alert_incidents set last_value = ${value},
      behind = case when ${value}::float8 > peak_value then ${JSON.stringify(behind)}::jsonb else behind end,
      peak_at = case when ${value}::float8 > peak_value then now() else peak_at end,
      peak_value = greatest(peak_value, ${value}::float8)
    where rule_id = ${rule.id} and team_id = ${rule.team_id} and closed_at is null`
}

async function remind(sql: Sql, rule: TakenRule): Promise<void> {
  if (rule.remind_hours === null) return
  const due = await sql<{ id: string }>`
    select i.id from alert_incidents i
    where i.rule_id = ${rule.id} and i.team_id = ${rule.team_id} and i.closed_at is null and i.acknowledged_at is null
      and not exists (
        select from alert_tellings t where t.incident_id = i.id and t.told_at > now() - make_interval(hours => ${rule.remind_hours}::int))`
  for (const { id } of due) await tell(sql, rule.team_id, id, 'reminder')
}

interface Closing {
  ruleId: string
  teamId: string
  because: NonNullable<AlertIncident['closed_because']>
}

/** Closes the open incident of a rule whose row the transaction holds, if there is one. */
export async function closeIncident(sql: Sql, { ruleId, teamId, because }: Closing): Promise<void> {
  const closed = await sql<{ id: string }>`
    update alert_incidents set closed_at = now(), closed_because = ${because}
    where rule_id = ${ruleId} and team_id = ${teamId} and closed_at is null returning id`
  for (const { id } of closed) await tell(sql, teamId, id, 'closed')
}

/** A database trigger makes it known to whoever mails members. */
async function tell(
  sql: Sql,
  teamId: string,
  incidentId: string,
  what: 'opened' | 'reminder' | 'closed',
): Promise<void> {
  await sql`insert into alert_tellings (id, team_id, incident_id, what) values (${newId()}, ${teamId}, ${incidentId}, ${what})`
}

/** What the rule was about is gone: it is switched off and says so. */
export async function switchOff(context: Context, rule: TakenRule): Promise<void> {
  await context.db.transaction(async (sql) => {
    const off = await sql`
      update alert_rules set enabled = false, next_at = null, state = 'ok', state_since = now(),
        problem = ${`The ${rule.scope} that it was about is gone.`}
      where id = ${rule.id} and team_id = ${rule.team_id} and updated_at = ${rule.updated_at} and enabled returning id`
    if (off.length > 0) await closeIncident(sql, { ruleId: rule.id, teamId: rule.team_id, because: 'scope_gone' })
  })
}
