// A run at one of its limits: it fails, or asks a person for more and continues with what they allow, as its build says.
import { requestOf, raiseLimitAction, type MoreWanted, type RequestWanted } from '../requests/humanRequests.ts'
import { addMessage, newChange, putStep, type CallStep, type Step } from '../ledger/change.ts'
import { fromUnits, isMore, sum, toUnits } from '../ledger/money.ts'
import { waitEffect } from './callEffects.ts'
import { commit, feed, type HeldRun } from './heldRun.ts'
import type { Reached } from './limits.ts'
import { newStep } from './planCalls.ts'
import { failWith, pause } from './releaseRun.ts'
import { askAbout } from './resolveStep.ts'

export const isAskingForMore = (step: Step): step is CallStep => step.kind === 'human' && step.tool === raiseLimitAction

/** True when the run has ended; false: it asked. `costNext` is the most that the next call of the model may cost. */
export async function stopAtLimit(held: HeldRun, reached: Reached, costNext = '0'): Promise<boolean> {
  if (held.build.onLimit === 'fail') {
    await failWith(held, 'limit_reached', reached.says)
    return true
  }
  const wanted = moreOf(held, reached, costNext)
  const step: CallStep = {
    ...newStep(held, held.step + 1, undefined, raiseLimitAction, wanted),
    kind: 'human',
    state: 'waiting',
  }
  const request: RequestWanted = {
    type: 'approval',
    title: wanted.title,
    description: `${reached.says} ${soFar(held)} ${priceOf(held, wanted)}`,
    action: { tool: raiseLimitAction, arguments: wanted },
  }
  const change = newChange(held.run, held.turn)
  change.usage.steps = 1
  await commit(held, change, [
    waitEffect(
      held,
      step,
      (sql) => askAbout(held, step, request, sql),
      () => undefined,
    ),
  ])
  held.step = step.seq
  return false
}

/** True when this process is done with the run: it waits for the answer, or ended with a no. */
export async function waitForMore(held: HeldRun, step: CallStep): Promise<boolean> {
  const request = await requestOf(held.context.db.sql, held.run.id, step.seq)
  if (request?.status === 'pending') return pause(held, step)
  const { limit, from, to } = (request?.action ?? step).arguments as MoreWanted
  held.open = held.open.filter(({ seq }) => seq !== step.seq)
  if (request?.response?.['approved'] !== true) {
    const why = request?.status === 'responded' ? 'A person refused more.' : 'Nobody approved more.'
    await failWith(held, 'limit_reached', `The limit ${limit} of ${from} is reached. ${why}`, step)
    return true
  }
  const change = newChange(held.run, held.turn)
  const result = { approved: true, limit, from, to }
  putStep(change, { ...step, state: 'done', result, completed_at: new Date().toISOString() })
  const text = raisedText({ limit, from, to })
  addMessage(change, { type: 'system', role: 'system', text_content: text })
  await commit(held, change)
  // the answer itself has raised it on the row
  held.run.limits = { ...held.run.limits, [limit]: to }
  feed(held, { kind: 'system', text })
  return false
}

export const raisedText = ({ limit, from, to }: Pick<MoreWanted, 'limit' | 'from' | 'to'>): string =>
  `A person raised the limit ${limit} of this run from ${from} to ${to}.`

/** Asks for as much again as the build gives; of cost at least for two more calls of the model, so that the next one does not ask again. */
function moreOf({ run, build, usage }: HeldRun, { limit }: Reached, costNext: string): MoreWanted {
  const title = `Continue past ${limit}?`
  if (limit === 'max_cost_usd') {
    const from = run.limits.max_cost_usd ?? '0'
    const given = build.limits.max_cost_usd ?? from
    const again = sum(from, isMore(from, given) ? given : from)
    const needed = sum(usage.cost_usd, fromUnits(toUnits(costNext) * 2n))
    return { title, limit, from, to: isMore(needed, again) ? needed : again }
  }
  const from = run.limits[limit] ?? 0
  const used =
    limit === 'max_steps' ? usage.steps : limit === 'max_tokens' ? usage.input_tokens + usage.output_tokens : 0
  return { title, limit, from, to: Math.max(from, used) + Math.min(from, build.limits[limit] ?? from) }
}

const count = (number: number): string => number.toLocaleString('en-US')

const soFar = ({ usage: { steps, input_tokens, output_tokens, cost_usd } }: HeldRun): string =>
  `So far it took ${count(steps)} steps and ${count(input_tokens + output_tokens)} tokens, and cost ${cost_usd} USD.`

/** What more would cost, by what it cost so far. */
function priceOf({ usage, run, model }: HeldRun, { limit, from, to }: MoreWanted): string {
  const raised = `With your approval it continues up to ${limit} ${typeof to === 'number' ? count(to) : to}`
  if (limit === 'max_cost_usd')
    return `${raised}: at most ${fromUnits(toUnits(String(to)) - toUnits(usage.cost_usd))} USD more.`
  if (model.isPure) return `${raised}. It asks no model, so its steps cost nothing.`
  const used = {
    max_steps: usage.steps,
    max_tokens: usage.input_tokens + usage.output_tokens,
    max_duration_s: Number(from),
  }[limit]
  const cost = Number(usage.cost_usd)
  if (cost === 0 || used === 0) return `${raised}. What that costs is not known.`
  const more = (cost / used) * (Number(to) - used)
  const bound = run.limits.max_cost_usd === null ? '' : ` Its cost limit stays ${run.limits.max_cost_usd} USD.`
  return `${raised}: about ${more.toPrecision(2)} USD more, if it continues as before.${bound}`
}
