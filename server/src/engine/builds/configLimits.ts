// The limits that a build's config gives to its runs.
import { isAbsent, isFields, readFields, type Complain } from './configFields.ts'

const limitRanges = {
  max_steps: { most: 1_000_000, isWhole: true },
  max_duration_s: { most: 30 * 86_400, isWhole: false },
  max_cost_usd: { most: 1_000_000, isWhole: false },
  max_tokens: { most: 1e12, isWhole: true },
  max_concurrent_runs: { most: 10_000, isWhole: true },
}

type GivenLimits = Record<keyof typeof limitRanges, number | null>

/** Null where the config gives no limit. */
export function readLimits(value: unknown, path: string, complain: Complain): GivenLimits {
  const limits = readFields(value, path, 'an object such as {"max_steps": 200}', complain)
  const given = Object.entries(limitRanges).map(([name, { most, isWhole }]) => {
    const limit = limits?.[name]
    if (isAbsent(limit)) return [name, null]
    const fits = typeof limit === 'number' && limit > 0 && limit <= most && (!isWhole || Number.isInteger(limit))
    if (fits) return [name, limit]
    complain(
      `${path}.${name}`,
      isWhole ? `must be a whole number from 1 to ${most}` : `must be above 0 and at most ${most}`,
    )
    return [name, null]
  })
  return Object.fromEntries(given) as GivenLimits
}

export function readOnLimit(limits: unknown, path: string, complain: Complain): 'fail' | 'ask' {
  const given = isFields(limits) ? limits['on_limit'] : undefined
  if (given === 'ask' || given === 'fail') return given
  if (!isAbsent(given)) complain(path, 'must be "fail" or "ask"')
  return 'fail'
}
