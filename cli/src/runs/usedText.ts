// What a run has used, in words: steps, tokens and money, against the limit of its cost.
import type { RunLimits, Usage } from '../../../sdk/src/index.ts'

export interface Used {
  usage: Usage | undefined
  limits?: RunLimits | undefined
  /** The cost of the runs that it started, which is not in its own. */
  subRunsUsd?: number
}

export function usedTexts({ usage, limits, subRunsUsd = 0 }: Used): string[] {
  if (!usage) return []
  const { steps, input_tokens, output_tokens, cost_usd } = usage
  const tokens = input_tokens + output_tokens
  const limit = limits?.max_cost_usd ?? null
  return [
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    ...(tokens > 0 ? [`${tokens.toLocaleString('en')} tokens`] : []),
    ...(tokens > 0 || limit !== null
      ? [`${usdText(cost_usd)}${limit === null ? '' : ` of $${limitText(limit)}`}`]
      : []),
    ...(subRunsUsd > 0 ? [`sub-runs ${usdText(subRunsUsd)}`] : []),
  ]
}

/** A very small sum must not read like nothing. */
export const usdText = (usd: number): string => (usd > 0 && usd < 0.0001 ? '<$0.0001' : `$${usd.toFixed(4)}`)

/** `0.5` as `0.50`; with as many digits as it has. */
const limitText = (limit: string): string => (/\.\d{2,}$/.test(limit) ? limit : Number(limit).toFixed(2))
