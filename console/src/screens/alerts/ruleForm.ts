// What is typed into the form of a rule, and what is sent of it.
import type { AlertRule, CreateAlertRuleInput } from '@runyard/sdk'
import { usualThreshold, usualWindow, type Scope, type Signal } from './alertText.ts'

/** A number is text until it is sent. */
export interface Typed {
  name: string
  signal: Signal
  scope: Scope
  scopeId: string
  threshold: string
  clear: string
  window: string
  minRuns: string
  forMinutes: string
  clearMinutes: string
  remind: string
  /** Undefined: everybody. */
  tells: string[] | undefined
  pausesAgent: boolean
}

/** The fields that hold a number. */
export type NumberField = 'threshold' | 'clear' | 'window' | 'minRuns' | 'forMinutes' | 'clearMinutes' | 'remind'

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)

export const typedOf = (rule: AlertRule | undefined): Typed => ({
  name: rule?.name ?? '',
  signal: rule?.signal ?? 'failure_rate',
  scope: rule?.scope ?? 'team',
  scopeId: rule?.scope_id ?? '',
  threshold: textOf(rule ? rule.threshold : usualThreshold.failure_rate),
  clear: textOf(rule?.clear_threshold),
  window: textOf(rule?.window_minutes),
  minRuns: textOf(rule?.min_runs),
  forMinutes: textOf(rule ? rule.for_minutes : 0),
  clearMinutes: textOf(rule ? rule.clear_minutes : 5),
  remind: textOf(rule?.remind_hours),
  tells: rule?.tells ?? undefined,
  pausesAgent: rule?.pause_agent ?? false,
})

const numberOf = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text))

/** What may be sent of a rule that exists; a new one has its signal and its scope too. */
export function changesOf(typed: Typed, rule?: AlertRule) {
  const [clear, window, minRuns] = [numberOf(typed.clear), numberOf(typed.window), numberOf(typed.minRuns)]
  return {
    name: typed.name.trim(),
    threshold: Number(typed.threshold),
    ...(clear !== undefined && { clear_threshold: clear }),
    ...(window !== undefined && usualWindow[typed.signal] !== undefined && { window_minutes: window }),
    ...(minRuns !== undefined && typed.signal === 'failure_rate' && { min_runs: minRuns }),
    for_minutes: numberOf(typed.forMinutes) ?? 0,
    clear_minutes: numberOf(typed.clearMinutes) ?? 0,
    remind_hours: numberOf(typed.remind) ?? null,
    // a member who has left since then is no reason to refuse another change
    ...(JSON.stringify(typed.tells ?? null) !== JSON.stringify(rule?.tells ?? null) && { tells: typed.tells ?? null }),
    pause_agent: typed.scope === 'agent' && typed.pausesAgent,
  }
}

export const inputOf = (typed: Typed): CreateAlertRuleInput => ({
  ...changesOf(typed),
  signal: typed.signal,
  scope: typed.scope,
  scope_id: typed.scope === 'team' ? null : typed.scopeId,
})

const numberLabels: Record<NumberField, string> = {
  threshold: 'Opens at',
  clear: 'Closes below',
  window: 'Of the last minutes',
  minRuns: 'From this many runs',
  forMinutes: 'Over for',
  clearMinutes: 'Well for',
  remind: 'Remind every',
}
export const labelOf = (field: NumberField): string => numberLabels[field]

/** Why it cannot be sent yet, as a sentence. */
export function unableOf(typed: Typed): string | undefined {
  if (typed.name.trim() === '') return 'The rule needs a name.'
  if (typed.scope !== 'team' && typed.scopeId === '') return `Choose the ${typed.scope} that it is about.`
  if (typed.threshold.trim() === '') return 'Say at which value it opens.'
  for (const [field, label] of Object.entries(numberLabels) as [NumberField, string][])
    if (!Number.isFinite(numberOf(typed[field]) ?? 0)) return `“${label}” must be a number.`
  return typed.tells?.length === 0 ? 'Choose who hears of it.' : undefined
}
