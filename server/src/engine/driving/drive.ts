// Drives one held run, turn by turn, until it ends, must wait, or is no longer ours. Every write goes through the ledger; memory is only a copy.
import { oneLine } from '../../base/oneLine.ts'
import { storable } from '../../base/storable.ts'
import type { TokenUsage, Turn } from '../../drivers/model/model.ts'
import { givenUpDeaths } from '../../kit/deaths.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { addMessage, isCall, newChange, putStep, type Change, type ModelStep } from '../ledger/change.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import { commit, feed, type HeldRun, type DriveParts, type Hold } from './heldRun.ts'
import { entryOf, readMessages } from '../ledger/history.ts'
import { giveUp } from './giveUp.ts'
import { refreshRules } from './guardedCall.ts'
import { cleanTurn } from './hiddenValues.ts'
import { complete, ended, fail, failWith, pause } from './releaseRun.ts'
import { isAskingForMore, stopAtLimit, waitForMore } from './askForMore.ts'
import { reachedLimit, reachedMemory, reachedTime } from './limits.ts'
import { checkOutput, type OutputMisfit } from '../builds/outputSchema.ts'
import { makeRoom, tokensOf } from './makeRoom.ts'
import { openRun, recall } from './openRun.ts'
import { performCalls } from './performCalls.ts'
import { resolveOpenSteps } from './resolveOpenSteps.ts'
import { chooseRoute } from './routes.ts'
import { goWithoutFiles } from './refusedFiles.ts'
import { bytesOfFiles, shownFiles } from './shownFiles.ts'
import { askModel, nextOfPure, usedBy, withUse, type Asked } from './turn.ts'
import { LimitReached, Yielded } from './leaving.ts'

/** How often a model may try again when its output does not fit the build's schema. */
const misfitsMax = 3
/** How often a run may fail to advance before it fails: the mistake is ours, and another attempt does not fix it. */
const failuresMax = 3

export async function driveRun(parts: DriveParts, run: ClaimedRun, hold: Hold): Promise<void> {
  const { signal, mayContinue } = hold
  // this comes before anything of the run is read: opening it may be what the processes died over
  if (run.deaths >= givenUpDeaths) return giveUp(parts, run, hold.writeSignal)
  const time = teamTimeOf(parts.context)
  await time.turn(run.team_id)
  const held = await openRun(parts, run, hold)
  if (run.failures >= failuresMax) {
    return failWith(held, 'internal_error', 'The run could not be advanced. Its operator finds the reason in the log.')
  }
  try {
    await recall(held)
    for (;;) {
      signal.throwIfAborted()
      if (!mayContinue()) throw new Yielded()
      await time.turn(run.team_id)
      await refreshRules(held)
      const more = held.open.find(isAskingForMore)
      if (more) {
        if (await waitForMore(held, more)) return
        await readNews(held)
        continue
      }
      const timeOver = reachedTime(held.run)
      if (timeOver) {
        if (await stopAtLimit(held, timeOver)) return
        continue
      }
      const { wakeSeq } = held
      await resolveOpenSteps(held)
      await readNews(held)
      const [waits, ...others] = held.open.filter(isCall)
      if (waits) {
        // what came while a call was made may be about one that was looked at before it
        if (held.wakeSeq === wakeSeq && (await pause(held, waits, others))) return
        continue
      }
      const memory = reachedMemory(held)
      if (memory) return await failWith(held, 'limit_reached', memory)
      const limit = reachedLimit(held)
      if (limit) {
        if (await stopAtLimit(held, limit)) return
        continue
      }
      if (await takeTurn(parts, held)) return
    }
  } catch (error) {
    if (!(signal.aborted && signal.reason instanceof LimitReached)) throw error
    const more = held.open.find(isAskingForMore)
    if (!more && (await stopAtLimit(held, { limit: 'max_duration_s', says: signal.reason.message }))) return
    // it asked for more: whoever takes it next finds what was answered, and counts its time from then on
    const asked = more ?? held.open.find(isAskingForMore)
    if (!asked || !(await waitForMore(held, asked))) throw new Yielded()
  } finally {
    await held.openResources.close()
  }
}

/** Feeds what people said since the last turn; read only when somebody raised the run's wake number. */
async function readNews(held: HeldRun): Promise<void> {
  if (held.wakeSeq === held.wakeSeen) return
  held.wakeSeen = held.wakeSeq
  for (const message of await readMessages(held.context.db.sql, held.run.id, held.messageSeen)) {
    held.messageSeen = message.seq
    if (message.role === 'user') feed(held, entryOf(message), { seq: message.seq })
  }
}

/** One turn of the model and what follows from it; true when this process is done with the run. */
async function takeTurn(parts: DriveParts, held: HeldRun): Promise<boolean> {
  const { models } = parts
  const costOf = (usage: TokenUsage) => models.costOf(held.modelName, usage)
  const worstCost = (promptBytes: number) => models.worstCost(held.modelName, promptBytes)
  await chooseRoute(held)
  if (!held.model.isPure) {
    const left = await makeRoom(held, { costOf, worstCost })
    if (left.kind === 'again') return false
    if (left.kind === 'stuck') {
      const { code, message } = held.refusal ?? { code: 'model_refused_request', message: 'The run is too long.' }
      await failWith(held, code, message)
      return true
    }
    if (left.kind !== 'fits') return leave(held, left, worstCost(held.promptBytes))
  }
  const { promptBytes } = held
  const asked = await askModel(held, {
    conversation: held.conversation,
    about: null,
    fileBytes: bytesOfFiles(shownFiles(held.log, held.view, held.sight)),
    turn: held.turn + 1,
    worstCost: () => worstCost(promptBytes),
    costOf,
    onText: (delta) => parts.onText(held.run.id, delta),
  })
  if (asked.kind === 'moved') return false
  if (asked.kind === 'too_long') return learnWindow(held, asked)
  if (asked.kind === 'files_refused') return goWithoutFiles(held, asked)
  if (asked.kind !== 'turn') return leave(held, asked, worstCost(promptBytes))
  held.refusal = undefined
  learnSize(held, promptBytes, asked.turn.usage)
  const change = newChange(held.run, held.turn + 1)
  const turn = cleanTurn(asked.turn, held.scrub)
  if (asked.step) endModelStep(change, asked.step, usedBy(turn.usage, costOf), turn.text)
  return recordTurn(held, change, turn)
}

/** The model did not answer: the run fails, or waits until it may. */
async function leave(
  held: HeldRun,
  asked: Extract<Asked, { kind: 'failed' | 'later' }>,
  worstCost: string,
): Promise<boolean> {
  if (asked.kind === 'failed' && asked.code === 'limit_reached') {
    return stopAtLimit(held, { limit: 'max_cost_usd', says: asked.message }, worstCost)
  }
  if (asked.kind === 'failed') {
    await failWith(held, asked.code, asked.message, asked.step)
    return true
  }
  const detail = asked.detail ?? { reason: 'model_unavailable', message: asked.reason }
  const waiting_on = { kind: 'time', detail, due_at: asked.at }
  const step: ModelStep = { ...asked.step, state: 'waiting', result: { waiting_on } }
  held.open.push(step)
  return pause(held, step)
}

/** How much shorter than a refused request the next one must at least be. */
const shorterShare = 0.8

/** The provider says that the request is too long: its window is smaller than we thought, and the log is made to fit it. */
async function learnWindow(held: HeldRun, asked: Extract<Asked, { kind: 'too_long' }>): Promise<boolean> {
  const { view, window, promptBytes } = held
  const { code, message, step } = asked
  const learned = Math.min(view.window ?? window, Math.floor(tokensOf(promptBytes, view) * shorterShare))
  const change = newChange(held.run, held.turn)
  // on the step too: whoever takes the run over before the log is made to fit would ask the same again
  putStep(change, { ...ended(step, 'failed', message), result: { learned_window: learned } })
  change.usage = { ...change.usage, steps: 1 }
  change.reserved_usd = '0'
  await commit(held, change)
  held.refusal = { code, message }
  held.view = { ...view, window: learned }
  return false
}

/** Requests that are too short tell little about how the provider counts. */
const tellingTokens = 500
const bytesPerTokenMin = 1
const bytesPerTokenMax = 6

function learnSize(held: HeldRun, bytes: number, { input_tokens: tokens }: TokenUsage): void {
  if (held.model.isPure || tokens < tellingTokens) return
  const bytesPerToken = Math.min(bytesPerTokenMax, Math.max(bytesPerTokenMin, bytes / tokens))
  held.view = { ...held.view, bytesPerToken }
}

/** How much of what a model said stands on its step, for lists of steps; the message has all of it. */
const saidLengthMax = 120

function endModelStep(
  change: Change,
  step: ModelStep,
  used: ReturnType<typeof usedBy>,
  text: string | null | undefined,
): void {
  const done = { state: 'done' as const, error: null, reserved_usd: '0', completed_at: new Date().toISOString() }
  const said = text ? oneLine(text, saidLengthMax) : null
  putStep(change, { ...withUse(step, used), ...done, ...(said && { said }) })
  change.usage = { steps: 1, ...used }
  change.reserved_usd = '0'
}

async function recordTurn(held: HeldRun, change: Change, turn: Turn): Promise<boolean> {
  const { ending } = turn
  if (ending.kind === 'calls') return performCalls(held, change, turn, nextToJoin)
  const { thinking, text, opaque } = turn
  if (thinking) addMessage(change, { type: 'thinking', role: 'assistant', text_content: thinking })
  if (text) addMessage(change, { type: 'text', role: 'assistant', text_content: text, opaque })
  if (ending.kind === 'failed') {
    const { code, message } = ending
    await fail(held, change, { code, message, step: held.step || null })
    return true
  }
  return recordOutput(held, change, turn, ending.output)
}

/** The model says that it is done: the run is completed, unless its output does not fit or a message came since its last turn. */
async function recordOutput(held: HeldRun, change: Change, turn: Turn, output: unknown): Promise<boolean> {
  const misfit = misfitOf(held, output)
  const { isPure } = held.model
  if (!misfit && (await complete(held, change, output))) return true
  // a message came while it finished: a pure model is asked again, any other model has taken its turn and continues from there
  if (!misfit && isPure) return false
  if (misfit && (isPure || misfit.isHopeless || ++held.misfits > misfitsMax)) {
    const message = `The output does not fit the build's output_schema: ${misfit.says}`
    await fail(held, change, { code: 'output_invalid', message, step: null })
    return true
  }
  const correction = `Your output does not fit the schema: ${misfit?.says} Answer again with an output that fits.`
  if (misfit) addMessage(change, { type: 'system', role: 'system', text_content: correction })
  await commit(held, change)
  held.turn += 1
  feed(held, { kind: 'assistant', text: turn.text, calls: [], opaque: turn.opaque })
  if (misfit) feed(held, { kind: 'system', text: correction })
  return false
}

/** The next turn of a pure model, where it may join the write of the results that lead to it. Undefined: it fails or reaches a limit. */
async function nextToJoin(held: HeldRun, newSteps: number): Promise<Turn | undefined> {
  const usage = { ...held.usage, steps: held.usage.steps + newSteps }
  if (reachedMemory(held) || reachedLimit({ run: held.run, usage })) return undefined
  const turn = cleanTurn(storable(await nextOfPure(held)), held.scrub)
  const { ending } = turn
  return ending.kind === 'failed' || (ending.kind === 'done' && misfitOf(held, ending.output)) ? undefined : turn
}

function misfitOf({ build, context, run }: HeldRun, output: unknown): OutputMisfit | undefined {
  const { output_schema: schema } = build
  return schema === null ? undefined : teamTimeOf(context).piece(run.team_id, () => checkOutput(schema, output))
}
