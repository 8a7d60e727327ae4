// One turn of the model: asked again while its provider has trouble, with its worst cost set aside before it is asked.
import { setTimeout as sleep } from 'node:timers/promises'
import { liveScrub } from '../../base/liveScrub.ts'
import { storable } from '../../base/storable.ts'
import {
  ContextExceeded,
  ModelRefused,
  ModelTrouble,
  type Conversation,
  type ReadFiles,
  type TokenUsage,
  type Turn,
} from '../../drivers/model/model.ts'
import { blobsOfRuns } from '../../kit/blobs.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { outputTokensMax } from '../builds/models.ts'
import { newStep } from './planCalls.ts'
import { untilWritten } from '../../base/db.ts'
import { stopByCost } from '../guardrails/judge.ts'
import { noteStopOf, refreshRules, waitOf } from './guardedCall.ts'
import { newChange, isCall, putStep, type ModelStep, type Step } from '../ledger/change.ts'
import { withMoment } from '../ledger/moments.ts'
import { commit, showView, type HeldRun } from './heldRun.ts'
import { largeBytes, largeRequestsOf } from './largeRequests.ts'
import { ended } from './releaseRun.ts'
import { fitsCost } from './limits.ts'
import { measureModelCall } from './runTelemetry.ts'
import { sum } from '../ledger/money.ts'
import {
  endRound,
  hasOthers,
  isPastPatience,
  leaveRoute,
  noteAnswer,
  noteFailure,
  refusalReason,
  roundsOf,
  whyNone,
} from './routes.ts'

/** How many attempts one turn has before the run fails, or how often all models of a list are asked: minutes, or an hour where the provider wants longer pauses. */
const attemptsMax = 10
/** How long a pause the worker waits itself; a longer pause frees the worker. */
const waitInPlaceMs = 2000
const pauseMaxMs = 10 * 60_000

export type Asked =
  | { kind: 'turn'; turn: Turn; step: ModelStep | undefined }
  /** The provider asks for a longer pause: the run waits without a worker. */
  | { kind: 'later'; step: ModelStep; at: Date; reason: string; detail?: Record<string, unknown> }
  | { kind: 'failed'; code: string; message: string; step: ModelStep | undefined }
  /** There is no answer, and the run has another conversation: with the next of its models, or with answers of a bounded length. */
  | { kind: 'moved' }
  /** The request is longer than what the model can hold. */
  | { kind: 'too_long'; code: string; message: string; step: ModelStep }
  /** The provider refuses the request, which has pictures or PDF files: without them it may be taken. */
  | { kind: 'files_refused'; message: string; step: ModelStep }

export interface Asking {
  conversation: Conversation
  /** What the step is about, where it is no turn of the run itself. */
  about: unknown
  /** How many bytes of pictures and PDF files the conversation shows the model; 0: it shows none. */
  fileBytes: number
  /** The turn that the step belongs to. */
  turn: number
  /** The worst that the next call can cost. */
  worstCost: () => string
  costOf: (usage: TokenUsage) => string
  onText: (delta: string) => void
}

export async function askModel(held: HeldRun, asking: Asking): Promise<Asked> {
  // a pure model costs nothing and can be asked again at will: it leaves no step of its own
  if (held.model.isPure) {
    return { kind: 'turn', turn: storable(await nextOfPure(held)), step: undefined }
  }
  await refreshRules(held)
  if (boundAnswers(held)) return { kind: 'moved' }
  const begun = held.open.find((one) => !isCall(one))
  if (begun && !fitsCost(held, asking.worstCost())) return endBeyondCost(held, ended(begun, 'cut_off', null))
  const putOff = await waitForMoney(held, asking)
  if (putOff) return putOff
  let step = await beginStep(held, asking)
  if (!step) return beyondCost(held)
  for (;;) {
    try {
      held.open.push(step)
      const turn = await measureModelCall(held.telemetry, () => nextLive(held, asking))
      close(held, step)
      await noteAnswer(held)
      if (await isLeftByPolicy(held, asking, step, turn)) return { kind: 'moved' }
      return { kind: 'turn', turn: storable(turn), step }
    } catch (error) {
      // a step that is cut off stays open, for whoever ends the run
      held.signal.throwIfAborted()
      close(held, step)
      if (error instanceof ContextExceeded) {
        const { code, message, usage } = error
        return {
          kind: 'too_long',
          code,
          message,
          step: await noteUse(held, asking, step, { usage, mayBeServed: false }),
        }
      }
      if (error instanceof ModelRefused) {
        const { code, message } = error
        if (asking.fileBytes > 0 && code === 'model_refused_request') return { kind: 'files_refused', message, step }
        const reason = refusalReason(error)
        if (reason && (await leaveRoute(held, { step, reason, message }))) return { kind: 'moved' }
        return { kind: 'failed', code, message: reason ? whyNone(held, step.turn, message) : message, step }
      }
      if (!(error instanceof ModelTrouble)) throw error
      await noteFailure(held, error)
      const tried = await noteUse(held, asking, step, error)
      const pauseMs = pauseAfter(tried.attempt, error.retryAfterMs)
      const { kind: reason, message } = error
      const isLast = tried.attempt >= attemptsMax
      if (isLast || isPastPatience(tried, error, pauseMs, held.context.config.modelPatienceS * 1000)) {
        if (await leaveRoute(held, { step: tried, reason, message })) return { kind: 'moved' }
        if (hasOthers(held)) return askAllAgain(held, asking, tried, error)
      }
      if (isLast) {
        const told = `The model did not answer in ${tried.attempt} attempts. The last one: ${message}`
        const failed = withTrouble(tried, message, null)
        return { kind: 'failed', code: 'model_unavailable', message: whyNone(held, step.turn, told), step: failed }
      }
      if (!fitsCost(held, asking.worstCost())) {
        return endBeyondCost(held, ended(withTrouble(tried, message, null), 'failed', message))
      }
      step = nextAttempt(withTrouble(tried, error.message, pauseMs), error.message)
      // an attempt that cost something used up what was held back for the next one
      const mustHoldAgain = error.usage !== undefined && (held.rules?.cost_usd_per_day ?? null) !== null
      if (pauseMs > waitInPlaceMs || mustHoldAgain) {
        return { kind: 'later', step, at: new Date(Date.now() + pauseMs), reason: error.message }
      }
      await commitStep(held, step)
      await sleep(pauseMs, undefined, { signal: held.signal })
    }
  }
}

function beyondCost({ run }: HeldRun): Asked {
  const message = `The next model call could cost more than is left of the limit max_cost_usd (${run.limits.max_cost_usd}).`
  return { kind: 'failed', code: 'limit_reached', message, step: undefined }
}

/** What its attempts used is missing for the next one: the step ends, and where a person allows more a new one begins. */
async function endBeyondCost(held: HeldRun, step: Step): Promise<Asked> {
  const change = newChange(held.run, held.turn)
  putStep(change, step)
  change.reserved_usd = '0'
  await commit(held, change)
  close(held, step)
  return beyondCost(held)
}

/** Every model of the list had its chance in this turn: all are asked once more after a pause, which grows each time. */
async function askAllAgain(
  held: HeldRun,
  asking: Asking,
  step: ModelStep,
  { kind: reason, message }: ModelTrouble,
): Promise<Asked> {
  const round = roundsOf(held, step.turn) + 1
  if (round >= attemptsMax) {
    const told = `${whyNone(held, step.turn, message)} They were asked ${round} times.`
    return { kind: 'failed', code: 'model_unavailable', message: told, step: withTrouble(step, message, null) }
  }
  const pauseMs = pauseAfter(round, undefined)
  await endRound(held, { step: withTrouble(step, message, pauseMs), reason, message })
  if (pauseMs <= waitInPlaceMs) {
    await sleep(pauseMs, undefined, { signal: held.signal })
    return { kind: 'moved' }
  }
  // the step of the model that comes next waits; if it may cost too much, the next turn of the loop says so
  const next = freshStep(held, asking)
  if (!next) return { kind: 'moved' }
  held.step = next.seq
  return { kind: 'later', step: next, at: new Date(Date.now() + pauseMs), reason: message }
}

/** One attempt. What is heard of its text while it is written is as clean as the message that it becomes; of one that breaks off, no more is heard. */
async function nextLive({ signal, scrub, context, run }: HeldRun, asking: Asking): Promise<Turn> {
  const live = liveScrub(scrub, asking.onText)
  const time = teamTimeOf(context)
  // how long it takes depends on the team's secrets
  const onText = scrub ? (delta: string) => time.piece(run.team_id, () => live.hear(delta)) : live.hear
  const readFiles: ReadFiles = (sha256s) => blobsOfRuns(context, context.db.sql).get(sha256s)
  const next = () => asking.conversation.next({ signal, onText, readFiles })
  const turn = await (asking.fileBytes > largeBytes ? largeRequestsOf(context).use(run.team_id, next, signal) : next())
  live.end()
  return turn
}

/** Whether the model refused to answer by its provider's policy and another was taken; what the refusal used is counted. */
async function isLeftByPolicy(
  held: HeldRun,
  asking: Asking,
  step: ModelStep,
  { ending, usage }: Turn,
): Promise<boolean> {
  if (ending.kind !== 'failed' || ending.code !== 'model_refused') return false
  const used = usedBy(usage, asking.costOf)
  return leaveRoute(held, { step: withUse(step, used), reason: 'policy', message: ending.message, used })
}

/** A pure model evaluates the tenant's expressions on the main thread, and has its turn when the promise is made. */
export const nextOfPure = ({ context, conversation, run, signal }: HeldRun): Promise<Turn> =>
  teamTimeOf(context).piece(run.team_id, () => conversation.next({ signal, onText: () => undefined }))

/** Money is held back for an answer of a bounded length: where the rule became live after the run was opened, its answers have a bound from now on. */
function boundAnswers(held: HeldRun): boolean {
  const { rules, setup, view } = held
  if (!rules?.cost_usd_per_day || setup.output_tokens_max !== null) return false
  held.setup = { ...setup, output_tokens_max: outputTokensMax }
  showView(held, view).open()
  return true
}

/** Where the team's guardrails bound the cost of a day and the next call may not fit: the step waits for the next day, without a hold. */
async function waitForMoney(held: HeldRun, asking: Asking): Promise<Extract<Asked, { kind: 'later' }> | undefined> {
  const { rules, run, context, signal } = held
  const limit = rules?.cost_usd_per_day ?? null
  if (!rules || limit === null) return undefined
  const open = held.open.find((one) => !isCall(one))
  const step = open ? cutStep(open) : freshStep(held, asking)
  // it is beyond the run's own limit, which says more
  if (!step) return undefined
  const hold = { teamId: run.team_id, runId: run.id, step: step.seq, worst: asking.worstCost(), limit }
  const until = await untilWritten(() => held.guardrails.cost.hold(hold), signal)
  if (until === undefined) return undefined
  const stop = stopByCost(rules, until, hold.worst)
  const note = noteStopOf(held, { seq: step.seq, tool: step.tool ?? '' }, stop)
  await untilWritten(() => note(context.db.sql), signal)
  if (open) close(held, open)
  held.step = Math.max(held.step, step.seq)
  return { kind: 'later', step, at: new Date(until), reason: stop.says, detail: waitOf(stop).detail }
}

/** A step that was cut off while its model was asked is its next attempt, and nobody knows what became of the other. */
const cutStep = (open: ModelStep): ModelStep =>
  open.state === 'waiting' ? open : { ...open, attempt: open.attempt + 1, unsettled: open.unsettled + 1 }

/** Writes the intent to ask. A step that is open already was cut off by a crash or postponed: this is its next attempt. */
async function beginStep(held: HeldRun, asking: Asking): Promise<ModelStep | undefined> {
  const open = held.open.find((step) => !isCall(step))
  if (open) {
    close(held, open)
    // a postponed attempt was counted when it was postponed; after a cut this is a new attempt, and nobody knows what became of the other
    const step =
      open.state === 'waiting'
        ? { ...open, state: 'intent' as const, result: null }
        : { ...open, attempt: open.attempt + 1, unsettled: open.unsettled + 1 }
    const begun = withMoment(step, {
      kind: 'attempt',
      at: new Date().toISOString(),
      attempt: step.attempt,
      worker: held.workerId,
    })
    await commitStep(held, begun)
    return begun
  }
  const step = freshStep(held, asking)
  if (!step) return undefined
  await commitStep(held, step)
  held.step = step.seq
  return step
}

/** Undefined: it could cost more than is left. */
function freshStep(held: HeldRun, asking: Asking): ModelStep | undefined {
  const reserved = asking.worstCost()
  if (!fitsCost(held, reserved)) return undefined
  const step = newStep(held, held.step + 1, undefined, held.modelName, asking.about)
  return { ...step, turn: asking.turn, kind: 'model', reserved_usd: reserved }
}

function close(held: HeldRun, { seq }: Step): void {
  held.open = held.open.filter((step) => step.seq !== seq)
}

async function commitStep(held: HeldRun, step: ModelStep): Promise<void> {
  const change = newChange(held.run, held.turn)
  putStep(change, step)
  change.reserved_usd = step.reserved_usd
  await commit(held, change)
}

/** Records what an attempt without a turn used, if the provider reported it; otherwise nobody knows. */
async function noteUse(
  held: HeldRun,
  asking: Asking,
  step: ModelStep,
  { usage, mayBeServed }: Pick<ModelTrouble, 'usage' | 'mayBeServed'>,
): Promise<ModelStep> {
  if (!usage) return { ...step, unsettled: step.unsettled + Number(mayBeServed) }
  const used = usedBy(usage, asking.costOf)
  const settled = withUse(step, used)
  const change = newChange(held.run, held.turn)
  putStep(change, settled)
  change.usage = { steps: 0, ...used }
  await commit(held, change)
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

/** A step counts what all its attempts used. */
export const withUse = (step: ModelStep, used: Used): ModelStep => ({
  ...step,
  input_tokens: (step.input_tokens ?? 0) + used.input_tokens,
  output_tokens: (step.output_tokens ?? 0) + used.output_tokens,
  cost_usd: sum(step.cost_usd ?? '0', used.cost_usd),
})

/** `pauseMs`: until the next attempt; null: there is none. */
function withTrouble(step: ModelStep, error: string, pauseMs: number | null): ModelStep {
  const now = Date.now()
  const again_at = pauseMs === null ? null : new Date(now + pauseMs).toISOString()
  return withMoment(step, { kind: 'trouble', at: new Date(now).toISOString(), attempt: step.attempt, error, again_at })
}

const nextAttempt = (step: ModelStep, error: string): ModelStep => ({ ...step, attempt: step.attempt + 1, error })

/**
 * The pause doubles from half a second, with a random part so that many runs do not come back at once. A pause that the provider asks for
 * replaces it.
 */
function pauseAfter(attempt: number, wishMs: number | undefined): number {
  const usual = Math.min(pauseMaxMs, 500 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2)
  return Math.min(pauseMaxMs, wishMs === undefined ? usual : Math.max(wishMs, 100))
}
