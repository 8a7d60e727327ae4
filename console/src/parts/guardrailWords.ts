// Rules and what they do to calls, as people read them.
import type { GuardrailStop } from '@runyard/sdk'

export const ruleWords: Record<GuardrailStop['rule'], string> = {
  always_ask: 'Tools that always ask',
  two_person: 'Tools that need two people',
  allowed_hosts: 'Allowed hosts',
  allowed_connections: 'Allowed connections',
  quiet_hours: 'Quiet hours',
  outside_calls_per_day: 'Outside calls a day',
  runs_per_day: 'Runs a day',
  cost_usd_per_day: 'Dollars a day',
}

/** Inside a sentence: `quiet hours`. A rule of a newer service is shown by its name. */
export const ruleInSentence = (rule: string): string =>
  (Object.hasOwn(ruleWords, rule) ? ruleWords[rule as GuardrailStop['rule']] : rule).toLowerCase()

export const wayWords: Record<GuardrailStop['way'], string> = {
  refused: 'refused',
  asks: 'asks people',
  waits: 'waits',
}

/** What was done to a call, without the name of the rule behind it: that stands beside it. */
export const withoutRule = (says: string): string =>
  says.replace(/ \(The team’s guardrails, version \d+: [\w ]+\.?\)$/, '')
