// What a mail tells of an incident of alerts: that it opened, is still open or has closed, and the first records behind it.
import type { Sql } from '../../base/db.ts'
import { effectiveScopes, type Role, type Scope } from '../../kit/scopes.ts'

/** How many of the records behind an incident a mail names; its page has the others. */
const behindTold = 3

/** What a role must allow to read the records behind an incident: for each signal what the feature of alerts has, as a test holds. */
export const readBy: Record<string, Scope> = {
  failure_rate: 'runs:read',
  waiting_age: 'runs:read',
  cost: 'billing:read',
  queue_age: 'queues:read',
  delivery_failures: 'webhooks:manage',
  schedule_misses: 'agents:read',
}

interface Told {
  id: string
  what: 'opened' | 'reminder' | 'closed'
  incident_id: string
  rule_name: string
  scope_name: string | null
  signal: string
  peak_value: number
  threshold: number
  closed_because: string | null
  has_paused: boolean
  /** What is said of each record behind it. */
  says: string[]
  /** That of the member who gets the mail. */
  role: Role
}

interface Asked {
  sql: Sql
  teamId: string
  memberId: string
  ids: string[]
}

/** What was told stays true: an incident that has closed since then is told as closed by a notice of its own. */
export async function readIncidentNews({ sql, teamId, memberId, ids }: Asked) {
  const found = await sql<Told>`
    select t.id, t.what, i.id as incident_id, i.rule_name, i.scope_name, i.signal, i.peak_value, i.threshold, i.closed_because,
      i.paused_agent_id is not null as has_paused,
      array(select one ->> 'says' from jsonb_array_elements(i.behind) with ordinality b (one, nth) order by nth) as says,
      m.role
    from alert_tellings t join alert_incidents i on i.id = t.incident_id join members m on m.id = ${memberId} and m.team_id = t.team_id
    where t.id = any(${ids}::uuid[]) and t.team_id = ${teamId}`
  return found.map((told) => ({
    id: told.id,
    title: `${titles[told.what]}: ${told.rule_name}`,
    about:
      `${told.scope_name ?? 'the team'}, ${told.signal.replaceAll('_', ' ')} up to ${valueText(told.signal, told.peak_value)}, ` +
      `threshold ${valueText(told.signal, told.threshold)}`,
    more: moreOf(told),
    path: `/alerts?incident=${told.incident_id}`,
  }))
}

const titles = { opened: 'Opened', reminder: 'Still open', closed: 'Closed' }

const ends: Record<string, string> = {
  rule_disabled: 'Its rule was switched off',
  rule_deleted: 'Its rule was deleted',
  scope_gone: 'What it was about is gone',
}

function moreOf({ what, closed_because, has_paused, signal, says, role }: Told): string | null {
  if (what === 'closed') return ends[closed_because ?? ''] ?? null
  const mayRead = effectiveScopes(['*'], role).has(readBy[signal]!)
  // of due times that were missed, the same is said of each
  const behind = mayRead ? [...new Set(says.map((text) => text.replace(/\.$/, '')))] : []
  const others = behind.length > behindTold ? `; and ${behind.length - behindTold} more` : ''
  return [
    ...(has_paused ? ['The agent is paused until somebody resumes it'] : []),
    ...(behind.length > 0 ? [`Behind it: ${behind.slice(0, behindTold).join('; ')}${others}`] : []),
  ].join('. ')
}

function valueText(signal: string, value: number): string {
  const short = String(Math.round(value * 100) / 100)
  if (signal === 'failure_rate') return `${short} %`
  if (signal === 'cost') return `$${short}`
  return signal === 'waiting_age' || signal === 'queue_age' ? `${short} min` : short
}
