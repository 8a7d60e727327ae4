// An incident: what a rule found, from when it opened until it closed, with the records behind it.
import { part, type Sql } from '../../base/db.ts'
import { resource } from '../../kit/resources.ts'
import type { Scope } from '../../kit/scopes.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { behindKinds, behindMax } from './signals/measured.ts'
import { factsOf, scopes, signals } from './signals/signal.ts'

export const AlertBehind = named(
  'AlertBehind',
  Type.Object({
    kind: oneOf(behindKinds),
    id: Id,
    run_id: nullable(Id),
    agent_id: nullable(Id),
    at: Time,
    says: Type.String(),
  }),
)

export const AlertIncident = named(
  'AlertIncident',
  Type.Object({
    id: Id,
    team_id: Id,
    rule_id: Type.String({ ...Id, description: 'The rule may have been deleted since then.' }),
    rule_name: Type.String(),
    signal: oneOf(signals),
    scope: oneOf(scopes),
    scope_id: nullable(Id),
    scope_name: nullable(Type.String()),
    threshold: Type.Number(),
    state: oneOf(['open', 'closed']),
    opened_at: Time,
    last_value: nullable(Type.Number({ description: 'Null: there is nothing to measure any more.' })),
    peak_value: Type.Number(),
    peak_at: Time,
    behind: Type.Array(AlertBehind, {
      description: `The runs, requests, cases, deliveries or schedules behind the highest value, at most ${behindMax}. Empty without the scope that reads what the signal measures.`,
    }),
    paused_agent_id: nullable(Type.String({ ...Id, description: 'The agent that it paused.' })),
    acknowledged_at: nullable(Time),
    acknowledged_by: nullable(Type.String({ ...Id, description: 'The member who acknowledged it last.' })),
    note: nullable(Type.String()),
    closed_at: nullable(Time),
    closed_because: nullable(oneOf(['recovered', 'rule_disabled', 'rule_deleted', 'scope_gone'])),
  }),
)
export type AlertIncident = Static<typeof AlertIncident>

export const incidentColumns = part`
  i.id, i.team_id, i.rule_id, i.rule_name, i.signal, i.scope, i.scope_id, i.scope_name, i.threshold,
  case when i.closed_at is null then 'open' else 'closed' end as state, i.opened_at, i.last_value, i.peak_value, i.peak_at, i.behind,
  i.paused_agent_id, i.acknowledged_at, i.acknowledged_by, i.note, i.closed_at, i.closed_because`

/** Everybody who reads runs sees that there is an incident, and the records behind it only who may read them. */
export const shownTo = ({ scopes: held }: { scopes: ReadonlySet<Scope> }, found: AlertIncident): AlertIncident =>
  held.has(factsOf[found.signal].readBy) ? found : { ...found, behind: [] }

const findIncident = (sql: Sql, id: string, teamId: string): Promise<AlertIncident[]> => sql<AlertIncident>`
  select ${incidentColumns} from alert_incidents i where i.id = ${id} and i.team_id = ${teamId}`

export const incident = resource('incident', findIncident)

declare module '../../kit/resources.ts' {
  interface Resources {
    incident: AlertIncident
  }
}
