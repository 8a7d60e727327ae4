// The limits of a run as fields of a form. They can only be tighter than those of the build.
import type { Build, StartRunInput } from '@runyard/sdk'

export const limitNames = ['max_cost_usd', 'max_steps', 'max_duration_s', 'max_tokens'] as const
export type LimitName = (typeof limitNames)[number]
export type LimitTexts = Partial<Record<LimitName, string>>

/** Undefined: none is given. What is no number is left out; the field does not let it in. */
export function limitsOf(texts: LimitTexts): StartRunInput['limits'] | undefined {
  const given = limitNames.flatMap((name) => {
    const text = texts[name]?.trim() ?? ''
    const value = Number(text)
    return text === '' || Number.isNaN(value) ? [] : [[name, value] as const]
  })
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

/** What the build itself allows; undefined: the usual, or nothing is said. */
export function limitOfBuild(build: Build | undefined, name: LimitName): number | undefined {
  const limits = build?.config.data['limits'] as Partial<Record<LimitName, unknown>> | undefined
  const value = limits?.[name]
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
