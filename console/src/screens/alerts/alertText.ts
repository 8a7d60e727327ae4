// Signals of alerts and their values, as people read them.
import type { AlertIncident, AlertRule } from '@runyard/sdk'
import { dollars } from '../../parts/amounts.ts'
import { visible } from '../../parts/visibleText.ts'

export type Signal = AlertRule['signal']
export type Scope = AlertRule['scope']

export const signalNames: Record<Signal, string> = {
  failure_rate: 'Failure rate',
  waiting_age: 'Oldest request to a person',
  cost: 'Model cost',
  queue_age: 'Oldest case that waits',
  delivery_failures: 'Failed deliveries',
  schedule_misses: 'Missed due times',
}

export const unitOf: Record<Signal, string> = {
  failure_rate: 'percent of the ended runs',
  waiting_age: 'minutes',
  cost: 'US dollars',
  queue_age: 'minutes',
  delivery_failures: 'deliveries',
  schedule_misses: 'due times',
}

/** What each signal can be measured for. */
export const scopesOf: Record<Signal, readonly Scope[]> = {
  failure_rate: ['team', 'agent'],
  waiting_age: ['team', 'agent'],
  cost: ['team', 'agent'],
  queue_age: ['queue'],
  delivery_failures: ['team', 'webhook'],
  schedule_misses: ['team', 'agent', 'schedule'],
}

export const scopeNames: Record<Scope, string> = {
  team: 'The whole team',
  agent: 'One agent',
  queue: 'One queue',
  webhook: 'One webhook',
  schedule: 'One schedule',
}

/** Minutes that count, if nobody says otherwise; undefined: the value is of the moment. */
export const usualWindow: Partial<Record<Signal, number>> = {
  failure_rate: 60,
  cost: 1440,
  delivery_failures: 60,
  schedule_misses: 1440,
}

/** What a rule watches: `Failure rate of Invoices`. */
export const aboutText = ({ signal, scope, scope_name }: AlertRule): string =>
  `${signalNames[signal]} of ${scope === 'team' ? 'the team' : visible(scope_name ?? `a ${scope} that is gone`)}`

/** Where a new rule begins. */
export const usualThreshold: Record<Signal, number> = {
  failure_rate: 50,
  waiting_age: 60,
  cost: 10,
  queue_age: 60,
  delivery_failures: 10,
  schedule_misses: 1,
}

const short = (value: number): string => String(Math.round(value * 10) / 10)

export function valueText(signal: Signal, value: number | null): string {
  if (value === null) return 'nothing'
  if (signal === 'failure_rate') return `${short(value)} %`
  if (signal === 'cost') return `${dollars(value)} USD`
  if (signal !== 'waiting_age' && signal !== 'queue_age') return short(value)
  if (value < 60) return `${short(value)} min`
  return value < 2880 ? `${short(value / 60)} h` : `${short(value / 1440)} days`
}

export const endText: Record<NonNullable<AlertIncident['closed_because']>, string> = {
  recovered: 'It is well again.',
  rule_disabled: 'Its rule was switched off.',
  rule_deleted: 'Its rule was deleted.',
  scope_gone: 'What it was about is gone.',
}
