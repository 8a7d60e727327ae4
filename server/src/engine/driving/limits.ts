// The limits of a run: steps, active time, tokens and cost; asked before every turn, and for cost before the money is spent.
import type { Sql } from '../../base/db.ts'
import type { BuildConfig, Limits } from '../builds/buildConfig.ts'
import type { EngineModels } from '../builds/models.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import type { HeldRun } from './heldRun.ts'
import { isMore, sum } from '../ledger/money.ts'

const least = <T extends number | null>(a: T, b: T | undefined): T =>
  b === undefined || b === null ? a : a === null ? b : (Math.min(a, b) as T)

/** A run may only tighten what its build allows. */
export function tightened(build: Limits, wanted: Partial<Limits>): Limits {
  const cost = wanted.max_cost_usd
  return {
    max_steps: least(build.max_steps, wanted.max_steps),
    max_duration_s: least(build.max_duration_s, wanted.max_duration_s),
    max_tokens: least(build.max_tokens, wanted.max_tokens),
    max_cost_usd:
      cost === undefined || cost === null || (build.max_cost_usd !== null && !isMore(build.max_cost_usd, cost))
        ? build.max_cost_usd
        : cost,
  }
}

/**
 * The first model of the build that may cost more than any limit, since nobody knows what it costs; what is built in costs nothing. Every
 * starter that brings a limit of cost to a build asks this: the build was checked against its own limit alone.
 */
export async function unpricedOf(
  models: EngineModels,
  build: BuildConfig,
  teamId: string,
  inTransaction?: Sql,
): Promise<string | undefined> {
  const asked = build.models.length > 0 ? build.models : [(await models.of(teamId, inTransaction)).defaultModel]
  return asked.find((model) => !model.startsWith('builtin:') && models.priceOf(model) === undefined)
}

/** A limit that is reached, with the sentence that says so. */
export interface Reached {
  limit: keyof Limits
  says: string
}

export function reachedLimit(held: { run: Pick<ClaimedRun, 'limits'>; usage: HeldRun['usage'] }): Reached | undefined {
  const { max_steps, max_tokens, max_cost_usd } = held.run.limits
  const { steps, input_tokens, output_tokens, cost_usd } = held.usage
  if (steps >= max_steps) {
    return { limit: 'max_steps', says: `The run has taken ${steps} steps, and its limit max_steps is ${max_steps}.` }
  }
  const tokens = input_tokens + output_tokens
  if (max_tokens !== null && tokens >= max_tokens) {
    return {
      limit: 'max_tokens',
      says: `The run has used ${tokens} tokens, and its limit max_tokens is ${max_tokens}.`,
    }
  }
  if (max_cost_usd !== null && !isMore(max_cost_usd, cost_usd)) {
    const says = `The run has cost ${cost_usd} USD, and its limit max_cost_usd is ${max_cost_usd}.`
    return { limit: 'max_cost_usd', says }
  }
  return undefined
}

/** One run must not fill the memory of a process that works on many. */
export function reachedMemory({ heldBytes, context }: Pick<HeldRun, 'heldBytes' | 'context'>): string | undefined {
  const most = context.config.runMemoryBytes
  if (heldBytes <= most) return undefined
  const [held, limit] = [heldBytes, most].map((bytes) => `${Math.ceil(bytes / 1024 ** 2)} MiB`)
  return `The messages and results of the run take ${held} of memory, and it may have ${limit} (RUNYARD_RUN_MEMORY_BYTES).`
}

/** Whether a model call that may cost `worst` still fits under the cost limit. */
export function fitsCost(held: HeldRun, worst: string): boolean {
  const { max_cost_usd } = held.run.limits
  return max_cost_usd === null || !isMore(sum(held.usage.cost_usd, worst), max_cost_usd)
}

/** What is left of the run's active time, counted from its claim. */
export const timeLeftMs = ({ limits, active_ms }: Pick<ClaimedRun, 'limits' | 'active_ms'>): number =>
  limits.max_duration_s * 1000 - active_ms

export const durationSentence = (limits: Limits): string =>
  `The run was active for ${limits.max_duration_s} seconds, which is its limit max_duration_s.`

/** The limit of a run whose time was over when it was claimed; otherwise the timer of its holder tells. */
export const reachedTime = (run: Pick<ClaimedRun, 'limits' | 'active_ms'>): Reached | undefined =>
  timeLeftMs(run) > 0 ? undefined : { limit: 'max_duration_s', says: durationSentence(run.limits) }
