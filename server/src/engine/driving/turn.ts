// One turn of the model: asked again while its provider has trouble, with its worst cost set aside before it is asked.
import { setTimeout as sleep } from 'node:timers/promises'
import { storable } from '../../base/storable.ts'
import { ModelRefused, ModelTrouble, type TokenUsage, type Turn } from '../../drivers/model/model.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { newStep } from './planCalls.ts'
import { newChange, putStep, type Step } from '../ledger/change.ts'
import { commit, type Driving } from './heldRun.ts'
import { fitsCost, limitsOf } from './limits.ts'
import { sum } from '../ledger/money.ts'

/** After this many attempts of one turn the run fails: with the pauses between them about an hour. */
const attemptsMax = 10
/** A pause up to this is waited in place; a longer one frees the worker. */
const waitInPlaceMs = 2000
const pauseMaxMs = 10 * 60_000

type Asked =
  | { kind: 'turn'; turn: Turn; step: Step | undefined }
  /** The provider wants to be left alone for a while: the run waits without a worker. */
  | { kind: 'later'; step: Step; at: Date; reason: string }
  | { kind: 'failed'; code: string; message: string; step: Step | undefined }

interface Asking {
  /** The worst that the next call can cost. */
  worstCost: () => string
  costOf: (usage: TokenUsage) => string
  onText: (delta: string) => void
}

export async function askModel(driving: Driving, asking: Asking): Promise<Asked> {
  // a pure model costs nothing and can be asked again at will: it leaves no step of its own
  if (driving.model.isPure) {
    return { kind: 'turn', turn: storable(await nextOfPure(driving)), step: undefined }
  }
  let step = await beginStep(driving, asking)
  if (!step) {
    const { max_cost_usd } = limitsOf(driving)
    const message = `The next model call could cost more than is left of the limit max_cost_usd (${max_cost_usd}).`
    return { kind: 'failed', code: 'limit_reached', message, step: undefined }
  }
  for (;;) {
    try {
      const { signal } = driving
      driving.open.push(step)
      const turn = await driving.watch.asking(() => driving.conversation.next({ signal, onText: asking.onText }))
      close(driving, step)
      return { kind: 'turn', turn: storable(turn), step }
    } catch (error) {
      // one that is cut off stays open, for whoever ends the run
      driving.signal.throwIfAborted()
      close(driving, step)
      if (error instanceof ModelRefused) return { kind: 'failed', code: error.code, message: error.message, step }
      if (!(error instanceof ModelTrouble)) throw error
      const tried = await noteTrouble(driving, asking, step, error)
      if (tried.attempt >= attemptsMax) {
        const message = `The model did not answer in ${tried.attempt} attempts. The last one: ${error.message}`
        return { kind: 'failed', code: 'model_unavailable', message, step: tried }
      }
      const pauseMs = pauseAfter(tried.attempt, error.retryAfterMs)
      step = nextAttempt(tried, error.message)
      if (pauseMs > waitInPlaceMs) {
        return { kind: 'later', step, at: new Date(Date.now() + pauseMs), reason: error.message }
      }
      await commitStep(driving, step)
      await sleep(pauseMs, undefined, { signal: driving.signal })
    }
  }
}

/** A pure model evaluates the tenant's expressions on the main thread, and has its turn when the promise is made. */
export const nextOfPure = ({ context, conversation, run, signal }: Driving): Promise<Turn> =>
  teamTimeOf(context).piece(run.team_id, () => conversation.next({ signal, onText: () => undefined }))

/** The intent to ask. One that is open already was cut off by a crash or put off: it goes on as its next attempt. */
async function beginStep(driving: Driving, asking: Asking): Promise<Step | undefined> {
  const open = driving.open.find(({ kind }) => kind === 'model')
  if (open) {
    close(driving, open)
    // put off: its attempt was counted when it was; cut off: this one is a new attempt, and nobody knows what became of the other
    const step =
      open.state === 'waiting'
        ? { ...open, state: 'intent' as const, result: null }
        : { ...open, attempt: open.attempt + 1, unsettled: open.unsettled + 1 }
    await commitStep(driving, step)
    return step
  }
  const reserved = asking.worstCost()
  if (!fitsCost(driving, reserved)) return undefined
  const step: Step = {
    ...newStep(driving, driving.step + 1, undefined, driving.modelName, null),
    turn: driving.turn + 1,
    kind: 'model',
    reserved_usd: reserved,
  }
  await commitStep(driving, step)
  driving.step = step.seq
  return step
}

function close(driving: Driving, { seq }: Step): void {
  driving.open = driving.open.filter((step) => step.seq !== seq)
}

async function commitStep(driving: Driving, step: Step): Promise<void> {
  const change = newChange(driving.run, driving.turn)
  putStep(change, step)
  change.reserved_usd = step.reserved_usd
  await commit(driving, change)
}

/** What an attempt without a turn used: told by the provider, or nobody knows. */
async function noteTrouble(driving: Driving, asking: Asking, step: Step, trouble: ModelTrouble): Promise<Step> {
  if (!trouble.usage) return { ...step, unsettled: step.unsettled + Number(trouble.mayBeServed) }
  const used = usedBy(trouble.usage, asking.costOf)
  const settled = withUse(step, used)
  const change = newChange(driving.run, driving.turn)
  putStep(change, settled)
  change.usage = { steps: 0, ...used }
  await commit(driving, change)
  return settled
}

interface Used {
  input_tokens: number
  output_tokens: number
  cost_usd: string
}

export const usedBy = (usage: TokenUsage, costOf: (usage: TokenUsage) => string): Used => ({
  input_tokens: usage.input_tokens,
  output_tokens: usage.output_tokens,
  cost_usd: costOf(usage),
})

/** A step has what all its attempts used. */
export const withUse = (step: Step, used: Used): Step => ({
  ...step,
  input_tokens: (step.input_tokens ?? 0) + used.input_tokens,
  output_tokens: (step.output_tokens ?? 0) + used.output_tokens,
  cost_usd: sum(step.cost_usd ?? '0', used.cost_usd),
})

const nextAttempt = (step: Step, error: string): Step => ({ ...step, attempt: step.attempt + 1, error })

/** Doubling from half a second, spread so that many runs do not come back at once; a provider's own wish counts more. */
function pauseAfter(attempt: number, wishMs: number | undefined): number {
  const usual = Math.min(pauseMaxMs, 500 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2)
  return Math.min(pauseMaxMs, wishMs === undefined ? usual : Math.max(wishMs, 100))
}
