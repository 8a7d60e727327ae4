// The stages of an attempt that have a time, and the one in which it failed.
import type { DeliveryAttempt } from '@runyard/sdk'

type Timing = NonNullable<DeliveryAttempt['timing']>
export type StageName = 'dns' | 'connect' | 'tls' | 'wait' | 'answer'

export interface Stage {
  name: StageName
  says: string
  ms: number
  isFailed: boolean
}

const stages: { name: StageName; says: string }[] = [
  { name: 'dns', says: 'name' },
  { name: 'connect', says: 'connection' },
  { name: 'tls', says: 'TLS' },
  { name: 'wait', says: 'until it answered' },
  { name: 'answer', says: 'reading the answer' },
]

/** An answer with a bad status failed while it was awaited; what ran out of time failed in the last stage that it reached. */
export function stagesOf(timing: Timing, failedAt: DeliveryAttempt['stage']): Stage[] {
  const reached = stages.flatMap(({ name, says }) => {
    const ms = timing[`${name}_ms`]
    return ms === null ? [] : [{ name, says, ms }]
  })
  const named = failedAt === 'status' ? 'wait' : failedAt
  const failed = failedAt === null ? undefined : (reached.find(({ name }) => name === named) ?? reached.at(-1))
  return reached.map((stage) => ({ ...stage, isFailed: stage === failed }))
}
