// Rules of alerts as a team has them, with incidents: one is looked at, one paused its agent, one has closed.
import { setTimeout as pause } from 'node:timers/promises'
import type { AlertIncident, Runyard } from '../../../sdk/src/index.ts'
import type { SampleData } from './sampleData.ts'

export interface SampleAlerts {
  /** Open, and nobody looks at it yet. */
  incident: string
}

interface Wanted {
  agents: SampleData['agents']
  /** Holds cases that have waited for long. */
  queue: string
}

/** After all other sample data: one of the rules pauses an agent. */
export async function makeSampleAlerts(sdk: Runyard, { agents, queue }: Wanted): Promise<SampleAlerts> {
  const make = async (input: Parameters<Runyard['alerts']['createRule']>[0]): Promise<string> =>
    (await sdk.alerts.createRule(input)).alert_rule_id
  const failing = await make({
    name: 'Price watch fails',
    signal: 'failure_rate',
    scope: 'agent',
    scope_id: agents['Price watch'],
    threshold: 10,
    window_minutes: 1440,
    pause_agent: true,
  })
  const claims = await make({
    name: 'Claims wait too long',
    signal: 'queue_age',
    scope: 'queue',
    scope_id: queue,
    threshold: 240,
    remind_hours: 4,
  })
  const deliveries = await make({
    name: 'Accounting hears nothing',
    signal: 'delivery_failures',
    scope: 'team',
    threshold: 2,
  })
  const old = await make({
    name: 'A delivery failed',
    signal: 'delivery_failures',
    scope: 'team',
    threshold: 1,
  })
  await make({ name: 'Nobody answers', signal: 'waiting_age', scope: 'team', threshold: 120, for_minutes: 10 })
  await make({ name: 'Models cost too much', signal: 'cost', scope: 'team', threshold: 500 })
  const { alert_rule_id: off } = await sdk.alerts.createRule({
    name: 'The night did not start',
    signal: 'schedule_misses',
    scope: 'agent',
    scope_id: agents['Night ledger'],
    threshold: 1,
  })
  await sdk.alerts.updateRule(off, { enabled: false })
  const open = await untilOpen(sdk, [failing, claims, deliveries, old])
  await sdk.alerts.deleteRule(old)
  await sdk.alerts.acknowledge(open(deliveries), { note: 'Their server is closed for maintenance until 06:00.' })
  return { incident: open(failing) }
}

/** Until each of these rules has an incident; rules are measured twice a minute. */
async function untilOpen(sdk: Runyard, rules: string[]): Promise<(rule: string) => string> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await pause(500)) {
    const { incidents } = await sdk.alerts.listIncidents({ state: 'open' }).page()
    const of = (rule: string): AlertIncident['id'] => incidents.find(({ rule_id }) => rule_id === rule)?.id ?? ''
    if (rules.every((rule) => of(rule) !== '')) return of
  }
  throw new Error('not every rule has opened an incident')
}
