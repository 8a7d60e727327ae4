// What a rule can watch: which part of a team each signal is of, who may read it, in which unit, and within which bounds.
import type { Scope as CredentialScope } from '../../../kit/scopes.ts'

export const signals = [
  'failure_rate',
  'waiting_age',
  'cost',
  'queue_age',
  'delivery_failures',
  'schedule_misses',
] as const
export type Signal = (typeof signals)[number]

export const scopes = ['team', 'agent', 'queue', 'webhook', 'schedule'] as const
export type Scope = (typeof scopes)[number]

interface Facts {
  /** What of a team it can be measured for. */
  scopes: readonly Scope[]
  /** The scope by which a credential reads what it measures. */
  readBy: CredentialScope
  unit: 'percent' | 'minutes' | 'usd' | 'count'
  threshold: { min: number; max: number }
  /** Undefined: it is of this moment and has no window. */
  window?: { min: number; max: number; usual: number; step: number }
  /** Seconds between two measurements. */
  everyS: number
  /** Its name in a sentence. */
  title: string
}

const day = 1440

export const factsOf: Record<Signal, Facts> = {
  failure_rate: {
    scopes: ['team', 'agent'],
    readBy: 'runs:read',
    unit: 'percent',
    threshold: { min: 0.1, max: 100 },
    window: { min: 5, max: 7 * day, usual: 60, step: 1 },
    everyS: 30,
    title: 'Failure rate',
  },
  waiting_age: {
    scopes: ['team', 'agent'],
    readBy: 'runs:read',
    unit: 'minutes',
    threshold: { min: 1, max: 90 * day },
    everyS: 30,
    title: 'Oldest request to a person',
  },
  cost: {
    scopes: ['team', 'agent'],
    readBy: 'billing:read',
    unit: 'usd',
    threshold: { min: 0.01, max: 1_000_000 },
    // usage is added up by days
    window: { min: day, max: 7 * day, usual: day, step: day },
    everyS: 60,
    title: 'Model cost',
  },
  queue_age: {
    scopes: ['queue'],
    readBy: 'queues:read',
    unit: 'minutes',
    threshold: { min: 1, max: 90 * day },
    everyS: 30,
    title: 'Oldest case that waits',
  },
  delivery_failures: {
    scopes: ['team', 'webhook'],
    readBy: 'webhooks:manage',
    unit: 'count',
    threshold: { min: 1, max: 1000 },
    window: { min: 5, max: 7 * day, usual: 60, step: 1 },
    everyS: 30,
    title: 'Failed deliveries',
  },
  schedule_misses: {
    scopes: ['team', 'agent', 'schedule'],
    readBy: 'agents:read',
    unit: 'count',
    threshold: { min: 1, max: 1000 },
    window: { min: 5, max: 7 * day, usual: day, step: 1 },
    everyS: 30,
    title: 'Missed due times',
  },
}

/** A value as people read it. */
export function valueText(signal: Signal, value: number | null): string {
  if (value === null) return 'nothing'
  const { unit } = factsOf[signal]
  if (unit === 'percent') return `${round(value)} %`
  if (unit === 'minutes') return spanText(value)
  return unit === 'usd' ? `$${value.toFixed(2)}` : String(value)
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Minutes in the largest units that say enough. */
function spanText(minutes: number): string {
  if (minutes < 60) return `${round(minutes)} min`
  if (minutes < 2 * day) return `${round(minutes / 60)} h`
  return `${round(minutes / day)} days`
}
