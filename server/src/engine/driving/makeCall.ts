// An outside call whose intent is committed: it is made once, and its outcome is committed, also for a run that was taken over since then.
import { sqlState, untilWritten, type Sql } from '../../base/db.ts'
import { DatabaseAway } from '../../base/databaseAway.ts'
import { StoreAway, StoreRefused } from '../../drivers/blobs/objectStore.ts'
import {
  CannotSave,
  NotYet,
  Outdated,
  type Bound,
  type Outcome,
  type Outside,
  type OutsideTool,
  type ToolCall,
} from '../../kit/tool.ts'
import { newChange, notBegun, putStep, type CallStep } from '../ledger/change.ts'
import { isTransient, type Effect } from '../ledger/applyLane.ts'
import type { Stop } from '../guardrails/judge.ts'
import { noteStopOf, peopleToAsk, stopOf, waitOf } from './guardedCall.ts'
import { insideFailure, recordEffect, storeFailure, waitEffect, writeEffect } from './callEffects.ts'
import { callingRunOf, commit, feedOutcome, toolCallOf, type HeldRun } from './heldRun.ts'
import { filledInput, readScrubber, withoutSecretFiles } from './hiddenValues.ts'
import type { Joining } from './joinTurns.ts'
import { saveFailure, saveLateOutcome } from './lateOutcome.ts'
import { Fenced, Yielded } from './leaving.ts'
import { capped, filesOf, recordOutcome, withoutSecrets } from './outcome.ts'
import { beginCall } from './runTelemetry.ts'
import { stillHolds } from './writeSurely.ts'
import { approvalRequest, askAbout, underWayKey } from './resolveStep.ts'
import { blobsOfRuns } from '../../kit/blobs.ts'

interface Making {
  /** The call may have happened already: probe first. */
  probe?: boolean
  /** For a call that a person approved: what must not have changed when it is sent. */
  bound?: Bound | undefined
  /** How many people allowed exactly this call. */
  approvals?: number
  /** What follows from the result and may be written with it. */
  joining?: Joining | undefined
}

/** Makes an outside call whose intent is committed, and commits its outcome. Whoever holds the run at that time can wait for it. */
export async function makeCall(held: HeldRun, step: CallStep, options: Making = {}): Promise<void> {
  const { underWay } = held
  const key = underWayKey(held.run.id, step)
  const making = makeOnce(held, step, options)
  underWay.set(key, making)
  try {
    await making
  } finally {
    underWay.delete(key)
  }
}

async function makeOnce(held: HeldRun, planned: CallStep, making: Making): Promise<void> {
  const { probe = false, bound, approvals = 0, joining } = making
  const { context, signal } = held
  const tool = held.toolRegistry.find(planned.tool)
  if (tool?.kind !== 'outside') throw new Error(`${planned.tool} does not act outside`)
  const stop = await stopOf(held, planned, tool, approvals)
  if (stop) return stopCall(held, planned, stop)
  const step = planned.attempt === notBegun ? await beginAfterAll(held, planned) : planned
  beginCall(held.telemetry, step)
  const call = toolCallOf<never>(held, step)
  const outside = {
    context,
    signal: AbortSignal.any([signal, AbortSignal.timeout(tool.timeoutMs)]),
    openResources: held.openResources,
    ...(bound && { bound }),
  }
  let outcome: Outcome | undefined
  try {
    // nothing has been sent yet: a database that is away is a pause, not the failure of the call
    held.scrub = await untilWritten(() => readScrubber(context, callingRunOf(held.run), held.build), signal)
    if (probe && tool.probe) outcome = await unlessAborted(tool.probe(call, outside), signal)
    outcome ??= await unlessAborted(execute(held, tool, call, outside), signal)
    outcome = await withoutSecretFiles(held, withoutSecrets(outcome, held.scrub))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Fenced) throw error
    if (error instanceof NotYet) return putOff(held, step, error)
    if (error instanceof Outdated) return askAgain(held, step, error.message)
    const sentence = ownFailure(held, error) ?? failureSentence(tool.timeoutMs, error)
    outcome = withoutSecrets({ error: sentence }, held.scrub)
  }
  try {
    await recordResult(held, step, outcome, joining)
  } catch (error) {
    // the run was taken over while this process lives, or its row stays locked: the outcome is still true
    if ((error instanceof Fenced || isTransient(error)) && (await saveLateOutcome(held, step, outcome))) {
      context.log.warn({ run_id: held.run.id, step: step.seq }, 'the outcome of a call is stored for the next holder')
    }
    throw error
  }
}

/** The secrets that the call names are put in at the last moment: what is stored of the call has only their names. */
async function execute(
  held: HeldRun,
  tool: OutsideTool<never>,
  call: ToolCall<never>,
  outside: Outside,
): Promise<Outcome> {
  const from = { context: held.context, run: call.run, given: held.build.given }
  const input = await untilWritten(() => filledInput(from, tool, call.input), outside.signal)
  if (!(await stillHolds(held))) throw new Fenced()
  // its time may have ended while it waited for the database
  outside.signal.throwIfAborted()
  return tool.execute({ ...call, input: input as never }, outside)
}

/** Errors of our own database and store are for the operator; undefined: it was neither. */
function ownFailure({ context, run }: HeldRun, error: unknown): string | undefined {
  const isOfStore = error instanceof StoreAway || error instanceof StoreRefused
  if (sqlState(error) === undefined && !(error instanceof DatabaseAway) && !isOfStore) return undefined
  context.log.error({ err: error, run_id: run.id }, 'a call failed inside the service')
  return isOfStore ? storeFailure : insideFailure
}

/** The guardrails of the team do not let it be made: it fails, waits for people, or waits for its time. */
async function stopCall(held: HeldRun, step: CallStep, stop: Stop): Promise<void> {
  if (stop.way === 'asks') return askAgain(held, step, stop.says, stop)
  const note = noteStopOf(held, step, stop)
  if (stop.way === 'refused') return recordResult(held, step, { error: stop.says, record: note })
  const begin = async (sql: Sql) => {
    await note(sql)
    return { waiting_on: waitOf(stop) }
  }
  return putOff(held, step, new NotYet(begin))
}

/** The call seemed to have to wait, and need not any more: from here on it is in doubt like any other. */
async function beginAfterAll(held: HeldRun, planned: CallStep): Promise<CallStep> {
  const step = { ...planned, attempt: 1, started_at: new Date().toISOString() }
  const change = newChange(held.run, held.turn)
  putStep(change, step)
  await commit(held, change)
  held.open = held.open.map((open) => (open.seq === step.seq ? step : open))
  return step
}

/** The call did not happen: the run waits for what the call needs, and makes it then. */
async function putOff(held: HeldRun, step: CallStep, notYet: NotYet): Promise<void> {
  const waits = waitEffect(held, { ...step, state: 'waiting' }, notYet.begin, () => undefined)
  await commit(held, newChange(held.run, held.turn), [waits])
}

/** The call did not happen: a person decides about it as it is now. */
export async function askAgain(held: HeldRun, step: CallStep, reason: string, stop?: Stop): Promise<void> {
  const asked: CallStep = { ...step, state: 'approval', result: null }
  const note = stop && noteStopOf(held, step, stop)
  const wanted = approvalRequest(asked, reason, peopleToAsk(held, step))
  const open = async (sql: Sql) => {
    await note?.(sql)
    return askAbout(held, asked, wanted, sql)
  }
  await commit(held, newChange(held.run, held.turn), [waitEffect(held, asked, open, () => undefined)])
}

export async function recordResult(held: HeldRun, step: CallStep, given: Outcome, joining?: Joining): Promise<void> {
  // nobody looks at a file in a run without a language model
  const outcome = held.model.isPure ? { ...given, shows: [] } : given
  const { outcome: clean, overflow } = capped(step, outcome)
  // large files go where large bytes are before the transaction, which other runs share
  const { context } = held
  if (outcome.writes) {
    await blobsOfRuns(context, context.db.sql).bring(outcome.writes.map(({ bytes }) => bytes))
  }
  const effects = filesOf(outcome, overflow).map((file) => writeEffect(held, step, file))
  if (outcome.record) effects.push(recordEffect(outcome.record))
  const told = await commitResult(held, step, clean, effects, joining)
  held.open = held.open.filter(({ seq }) => seq !== step.seq)
  if (joining?.isTold) joining.settle()
  else feedOutcome(held, step, told)
}

/**
 * The outcome as it was recorded. A call that was made is never repeated because of its result: if the result cannot be written, for any
 * reason, the step ends with a sentence that says so.
 */
async function commitResult(
  held: HeldRun,
  step: CallStep,
  outcome: Outcome,
  effects: Effect[],
  joining?: Joining,
): Promise<Outcome> {
  const change = newChange(held.run, held.turn)
  recordOutcome(change, step, outcome)
  try {
    await commit(
      held,
      change,
      effects,
      joining?.after(() => feedOutcome(held, step, outcome)),
    )
    return outcome
  } catch (error) {
    joining?.giveUp()
    if (error instanceof CannotSave) return commitResult(held, step, { error: error.message }, [])
    const isPassing = error instanceof Fenced || error instanceof Yielded || isTransient(error)
    if (isPassing || held.writeSignal.aborted || ('error' in outcome && outcome.error === saveFailure)) throw error
    // what followed may be the reason
    if (joining?.isTold) return commitResult(held, step, outcome, effects)
    held.context.log.error({ err: error, run_id: held.run.id }, 'the result of a call could not be saved')
    return commitResult(held, step, { error: saveFailure }, [])
  }
}

/** A tool that does not listen to its signal must not keep the run: its late answer is not used any more. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const cut = Promise.withResolvers<never>()
  const abort = () => cut.reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, cut.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function failureSentence(timeoutMs: number, error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `No answer within ${timeoutMs / 1000} seconds; the call may have taken effect.`
  }
  return error instanceof Error ? error.message : String(error)
}
