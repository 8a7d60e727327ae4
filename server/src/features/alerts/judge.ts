// What a measurement means for a rule: whether an incident opens, stays, or closes. A pure function, so that every path of it can be tried.

export const ruleStates = ['ok', 'pending', 'open', 'closing'] as const
export type RuleState = (typeof ruleStates)[number]

export interface Judged {
  state: RuleState
  state_since: Date
  threshold: number
  clear_threshold: number
  for_minutes: number
  clear_minutes: number
}

export interface Verdict {
  state: RuleState
  /** What happens with it. */
  moves: 'opens' | 'closes' | undefined
}

/**
 * A value between the two thresholds changes nothing: so a signal that flaps around one of them is one incident. Nothing to measure
 * counts as well: nothing is wrong then.
 */
export function judge(rule: Judged, value: number | null, now: Date): Verdict {
  const isOver = value !== null && value >= rule.threshold
  const isWell = value === null || value < rule.clear_threshold
  const heldFor = (minutes: number) => now.getTime() - rule.state_since.getTime() >= minutes * 60_000
  if (rule.state === 'ok' || rule.state === 'pending') {
    if (!isOver) return { state: 'ok', moves: undefined }
    const isLongEnough = rule.state === 'ok' ? rule.for_minutes === 0 : heldFor(rule.for_minutes)
    return isLongEnough ? { state: 'open', moves: 'opens' } : { state: 'pending', moves: undefined }
  }
  if (!isWell) return { state: 'open', moves: undefined }
  const isLongEnough = rule.state === 'open' ? rule.clear_minutes === 0 : heldFor(rule.clear_minutes)
  return isLongEnough ? { state: 'ok', moves: 'closes' } : { state: 'closing', moves: undefined }
}
