// A rule of alerts: a signal, the value at which it opens an incident, and who hears of it.
import { part, type Sql } from '../../base/db.ts'
import { resource } from '../../kit/resources.ts'
import type { Scope } from '../../kit/scopes.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { ruleStates } from './judge.ts'
import { scopeNameOf } from './scopeName.ts'
import { factsOf, scopes, signals } from './signals/signal.ts'

/** How many rules a team may have. */
export const rulesMax = 100
/** How many members a rule may name. */
const tellsMax = 50
const daysMinutes = (days: number): number => days * 1440

const signalField = oneOf(signals, {
  description:
    '`failure_rate`: of the runs that began in the window and have completed or failed, the percentage that failed. `waiting_age`: minutes that the oldest ' +
    'open request to a person has waited. `cost`: model cost in USD of the days in the window, in UTC, today included; of an agent without its replays. `queue_age`: minutes that the ' +
    'oldest case of a queue has waited. `delivery_failures`: deliveries that wait for another attempt, or were given up in the window. ' +
    '`schedule_misses`: how often in the window a schedule was due and started nothing.',
})

export const ruleFields = {
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Invoices fail'] }),
  signal: signalField,
  scope: oneOf(scopes, {
    description:
      'What it is measured for. `failure_rate`, `waiting_age` and `cost`: `team` or `agent`. `queue_age`: `queue`. ' +
      '`delivery_failures`: `team` or `webhook`. `schedule_misses`: `team`, `agent` or `schedule`.',
  }),
  scope_id: nullable(Type.String({ ...Id, description: 'The agent, queue, webhook or schedule; null for `team`.' })),
  threshold: Type.Number({
    minimum: 0,
    maximum: 1_000_000,
    description: 'An incident opens when the value is this or more.',
    examples: [50],
  }),
  clear_threshold: Type.Number({
    minimum: 0,
    maximum: 1_000_000,
    description: 'It closes only below this; four fifths of `threshold` unless given.',
    examples: [20],
  }),
  window_minutes: nullable(
    Type.Integer({
      minimum: 1,
      maximum: daysMinutes(7),
      description:
        'Of `failure_rate`, `delivery_failures` (60 unless given), `schedule_misses` and `cost` (a day; `cost` takes whole days).',
      examples: [60],
    }),
  ),
  min_runs: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Of `failure_rate`: with fewer ended runs in the window there is no rate. 5 unless given.',
      examples: [5],
    }),
  ),
  for_minutes: Type.Integer({
    minimum: 0,
    maximum: daysMinutes(1),
    description: 'How long the value must be `threshold` or more before an incident opens. 0 unless given.',
    examples: [0],
  }),
  clear_minutes: Type.Integer({
    minimum: 0,
    maximum: daysMinutes(1),
    description: 'How long it must be below `clear_threshold` before the incident closes. 5 unless given.',
    examples: [5],
  }),
  remind_hours: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 168,
      description: 'An open incident that nobody has acknowledged is reported again after this time. Null: never.',
      examples: [4],
    }),
  ),
  tells: nullable(
    Type.Array(Id, {
      maxItems: tellsMax,
      description:
        'The members who hear of it. Null: everybody. Each member decides about mails in their notifications.',
    }),
  ),
  pause_agent: Type.Boolean({
    description: 'Whether an incident pauses the agent, which only a person resumes. Only with the scope `agent`.',
  }),
  enabled: Type.Boolean({ description: 'When false nothing is measured, and its open incident closes.' }),
}

/** What may be left out of a new rule, and of a change. */
export const optionalRuleFields = {
  clear_threshold: Type.Optional(ruleFields.clear_threshold),
  window_minutes: Type.Optional(ruleFields.window_minutes),
  min_runs: Type.Optional(ruleFields.min_runs),
  for_minutes: Type.Optional(ruleFields.for_minutes),
  clear_minutes: Type.Optional(ruleFields.clear_minutes),
  remind_hours: Type.Optional(ruleFields.remind_hours),
  tells: Type.Optional(ruleFields.tells),
  pause_agent: Type.Optional(ruleFields.pause_agent),
  enabled: Type.Optional(ruleFields.enabled),
}

export const AlertRule = named(
  'AlertRule',
  Type.Object({
    id: Id,
    team_id: Id,
    ...ruleFields,
    scope_name: nullable(Type.String({ description: 'Null: it is about the team, or its record is gone.' })),
    created_by: Id,
    state: oneOf(ruleStates, {
      description:
        '`pending`: at the threshold or above, but not for `for_minutes` yet. `open`: it has an incident. `closing`: below ' +
        '`clear_threshold`, but not for `clear_minutes` yet.',
    }),
    state_since: Time,
    measured_value: nullable(
      Type.Number({
        description:
          'Null: there was nothing to measure, or the credential lacks the scope that reads what the signal measures.',
      }),
    ),
    measured_at: nullable(Time),
    problem: nullable(Type.String({ description: 'Why it could not be measured.' })),
    incident_id: nullable(Type.String({ ...Id, description: 'Its open incident.' })),
    created_at: Time,
    updated_at: Time,
  }),
)
export type AlertRule = Static<typeof AlertRule>

export const ruleColumns = part`
  r.id, r.team_id, r.name, r.signal, r.scope, r.scope_id, ${scopeNameOf} as scope_name, r.threshold, r.clear_threshold, r.window_minutes, r.min_runs, r.for_minutes,
  r.clear_minutes, r.remind_hours, r.tells, r.pause_agent, r.enabled, r.created_by, r.state, r.state_since, r.measured_value, r.measured_at,
  r.problem, (select i.id from alert_incidents i where i.rule_id = r.id and i.closed_at is null) as incident_id, r.created_at, r.updated_at`

/** Everybody who reads runs sees the rule, and its latest value only who may read what it measures. */
export const shownRule = ({ scopes: held }: { scopes: ReadonlySet<Scope> }, found: AlertRule): AlertRule =>
  held.has(factsOf[found.signal].readBy) ? found : { ...found, measured_value: null }

const findRule = (sql: Sql, id: string, teamId: string): Promise<AlertRule[]> => sql<AlertRule>`
  select ${ruleColumns} from alert_rules r where r.id = ${id} and r.team_id = ${teamId}`

export const alertRule = resource('alert_rule', findRule)

declare module '../../kit/resources.ts' {
  interface Resources {
    alert_rule: AlertRule
  }
}
