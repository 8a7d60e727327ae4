// What an attempt makes of its delivery, and the log line about it.
import type { Log } from '../../base/log.ts'
import type { AttemptOutcome } from './attempt.ts'
import { delayAfter } from './retrySchedule.ts'
import type { Loaded, AttemptResult, Target } from './deliveryRows.ts'

export function resultOf(scheduleS: number[], delivery: Loaded, outcome: AttemptOutcome): AttemptResult {
  const about = { delivery, outcome }
  if (outcome.attempt.ok) return { ...about, state: 'delivered', dueInS: null, reason: null }
  const { error } = outcome.attempt
  if (outcome.isGone) return { ...about, state: 'dead', dueInS: null, reason: error }
  const delay = delayAfter(scheduleS, delivery.attempts + 1)
  if (delay === undefined) {
    return { ...about, state: 'dead', dueInS: null, reason: `Every attempt failed; the last one: ${error}` }
  }
  return { ...about, state: 'retrying', dueInS: outcome.retryAfterS ?? delay, reason: null }
}

/** One log line for each attempt, with everything that somebody on call asks for. */
export function logAttempt(log: Log, target: Target, { delivery, outcome, state, dueInS }: AttemptResult): void {
  if (!log.isLevelEnabled('info')) return
  const { ok, status, stage, error, latency_ms } = outcome.attempt
  log.info(
    {
      delivery_id: delivery.id,
      event: delivery.event,
      run_id: delivery.run_id,
      team_id: target.team_id,
      target_id: target.id,
      host: new URL(target.url).host,
      attempt: delivery.attempts + 1,
      status,
      stage,
      error,
      latency_ms,
      state,
      retry_in_s: dueInS,
    },
    ok ? 'delivered' : 'not delivered',
  )
}
