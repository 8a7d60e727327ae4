// One turn of the model: asked again while its provider has trouble, with its worst cost set aside before it is asked.
import { setTimeout as sleep } from 'node:timers/promises'
import { ModelRefused, ModelTrouble, type Turn } from '../drivers/model/model.ts'
import { newStep } from './calls.ts'
import { newChange, putStep, type Step } from './change.ts'
import { commit, type Driving } from './driving.ts'
import { fitsCost, limitsOf } from './limits.ts'

/** After this many attempts of one turn the run fails: with the pauses between them about an hour. */
const attemptsMax = 10
/** A pause up to this is waited in place; a longer one frees the worker. */
const waitInPlaceMs = 2000
const pauseMaxMs = 10 * 60_000

export type Asked =
  | { kind: 'turn'; turn: Turn; step: Step | undefined }
  /** The provider wants to be left alone for a while: the run waits without a worker. */
  | { kind: 'later'; step: Step; at: Date; reason: string }
  | { kind: 'failed'; code: string; message: string; step: Step | undefined }

interface Asking {
  /** The worst that the next call can cost. */
  worstCost: () => string
  onText: (delta: string) => void
}

export async function askModel(driving: Driving, asking: Asking): Promise<Asked> {
  // a pure model costs nothing and can be asked again at will: it leaves no step of its own
  if (driving.model.isPure) {
    const turn = await driving.conversation.next({ signal: driving.signal, onText: asking.onText })
    return { kind: 'turn', turn, step: undefined }
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
      const turn = await driving.watch.asking(() => driving.conversation.next({ signal, onText: asking.onText }))
      return { kind: 'turn', turn, step }
    } catch (error) {
      driving.signal.throwIfAborted()
      if (error instanceof ModelRefused) return { kind: 'failed', code: error.code, message: error.message, step }
      if (!(error instanceof ModelTrouble)) throw error
      if (step.attempt >= attemptsMax) {
        const message = `The model did not answer in ${step.attempt} attempts. The last one: ${error.message}`
        return { kind: 'failed', code: 'model_unavailable', message, step }
      }
      const pauseMs = pauseAfter(step.attempt, error.retryAfterMs)
      step = nextAttempt(step, error.message)
      if (pauseMs > waitInPlaceMs) {
        return { kind: 'later', step, at: new Date(Date.now() + pauseMs), reason: error.message }
      }
      await commitStep(driving, step)
      await sleep(pauseMs, undefined, { signal: driving.signal })
    }
  }
}

/** The intent to ask. One that is open already was cut off by a crash or put off: it goes on as its next attempt. */
async function beginStep(driving: Driving, asking: Asking): Promise<Step | undefined> {
  const open = driving.open.find(({ kind }) => kind === 'model')
  if (open) {
    driving.open = driving.open.filter((step) => step !== open)
    // put off: its attempt was counted when it was; cut off: this one is a new attempt
    const step =
      open.state === 'waiting'
        ? { ...open, state: 'intent' as const, result: null }
        : { ...open, attempt: open.attempt + 1 }
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

async function commitStep(driving: Driving, step: Step): Promise<void> {
  const change = newChange(driving.run, driving.turn)
  putStep(change, step)
  change.reserved_usd = step.reserved_usd
  await commit(driving, change)
}

const nextAttempt = (step: Step, error: string): Step => ({ ...step, attempt: step.attempt + 1, error })

/** Doubling from half a second, spread so that many runs do not come back at once; a provider's own wish counts more. */
function pauseAfter(attempt: number, wishMs: number | undefined): number {
  const usual = Math.min(pauseMaxMs, 500 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2)
  return Math.min(pauseMaxMs, wishMs === undefined ? usual : Math.max(wishMs, 100))
}
