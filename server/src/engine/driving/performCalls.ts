// The calls of a turn as they are made: what our own database does joins the turn's write, what acts outside gets its intent first.
import { sqlState, type Sql } from '../../base/db.ts'
import { DatabaseAway } from '../../base/databaseWatch.ts'
import type { Scrub } from '../../base/knownSecrets.ts'
import type { Turn } from '../../drivers/model/model.ts'
import { CannotKeep, NotYet, Outdated, type Begun, type Bound, type Outcome, type Tool } from '../../kit/tool.ts'
import { checkWord } from './approvedCall.ts'
import { planCall, wordNeeded, type Plan } from './planCalls.ts'
import { addEvent, addMessage, newChange, putStep, type Change, type Step, callIdOf } from '../ledger/change.ts'
import { commit, feed, feedOutcome, toolCallOf, type Driving } from './heldRun.ts'
import { keepFailure, keepLate } from './lateOutcome.ts'
import { capped, filesOf, recordOutcome, withoutSecrets, type FileToKeep } from './outcome.ts'
import { approvalRequest, askAbout, settle, underWayKey } from './resolveOpenSteps.ts'
import { isRefused, isTransient, type Effect, type Write } from '../ledger/applyLane.ts'
import { connectionUseOf } from '../../kit/registry.ts'
import { Fenced, Yielded } from './leaving.ts'

/** What a follow-up adds to the write of a turn's calls, once their outcomes are known. */
type FollowUp = NonNullable<Write['followUp']>

/**
 * Writes a turn with its calls and makes those that go outside. `addEnding` is asked only where all of them are our own database's: what
 * it adds to the change joins the same commit. True when the run is over with that.
 */
export async function performCalls(
  driving: Driving,
  change: Change,
  turn: Turn,
  addEnding: (change: Change) => Promise<boolean>,
): Promise<boolean> {
  driving.turn += 1
  const plans = turn.calls.map((call, index) => planCall(driving, call, driving.step + 1 + index))
  const calls = plans.map(({ step }, index) => ({ ...turn.calls[index]!, id: callIdOf(driving.run.id, step.seq) }))
  for (const [index, tool_call] of calls.entries()) {
    // what the driver wants back stands with the first of the turn's calls
    addMessage(change, { type: 'tool_call', role: 'assistant', tool_call, opaque: index === 0 ? turn.opaque : null })
  }
  const results = new Map<number, Outcome>()
  const effects = plans.flatMap((plan) => begin(driving, change, plan, results))
  change.usage.steps += plans.length
  driving.step += plans.length

  const heard = { isTold: false, move: null as Change['move'] }
  const tellModel = () => {
    // a second attempt of the same write would tell it twice: then the run is rebuilt from its log instead
    if (heard.isTold) throw new Yielded()
    heard.isTold = true
    feed(driving, { kind: 'assistant', text: turn.text, calls, opaque: turn.opaque })
    for (const { step } of plans) {
      const outcome = results.get(step.seq)
      if (outcome) feedOutcome(driving, step, outcome)
    }
  }
  const followUp: FollowUp = async (whole, wakeSeq) => {
    tellModel()
    // one that is cut off is written without its end, and then noticed: it must not fail the commit that it shares
    if (driving.signal.aborted || wakeSeq !== driving.wakeSeen) return
    if (await addEnding(whole)) heard.move = whole.move
  }
  const mayFollow = driving.model.isPure && plans.every(({ way }) => way === 'inside')
  await commitCalls(
    driving,
    change,
    effects,
    plans,
    results,
    mayFollow ? { followUp, isLate: () => heard.isTold } : undefined,
  )
  if (!heard.isTold) tellModel()
  if (heard.move) driving.watch.moved(heard.move, driving.usage.steps)
  await allEnded(plans.filter(({ way }) => way === 'outside').map(({ step }) => make(driving, step)))
  return heard.move !== null
}

/** What a call writes at once: its refusal, its intent, or its effect together with its outcome. */
function begin(driving: Driving, change: Change, plan: Plan, results: Map<number, Outcome>): Effect[] {
  const { step } = plan
  const note = (outcome: Outcome) => results.set(step.seq, outcome)
  switch (plan.way) {
    case 'refused':
      note({ error: plan.error })
      recordOutcome(change, step, { error: plan.error })
      return []
    case 'inside':
      return [insideEffect(driving, step, note)]
    case 'outside':
      putStep(change, step)
      driving.open.push(step)
      return []
    case 'approval':
      return [
        waitEffect(
          driving,
          step,
          (sql) => askAbout(driving, step, approvalRequest(step, wordNeeded(plan.tool)), sql),
          note,
        ),
      ]
    case 'waiting':
      return [beginEffect(driving, step, plan.tool, note)]
    default:
      return plan satisfies never
  }
}

function insideEffect(driving: Driving, step: Step, note: (outcome: Outcome) => void): Effect {
  return {
    kind: 'inside',
    tool: step.tool!,
    call: toolCallOf<never>(driving, step),
    record(change, outcome) {
      const clean = capped(step, outcome).outcome
      recordOutcome(change, step, clean)
      note(clean)
    },
  }
}

function beginEffect(driving: Driving, step: Step, tool: Tool, note: (outcome: Outcome) => void): Effect {
  if (tool.kind !== 'waiting') throw new Error(`${tool.name} does not wait`)
  const call = toolCallOf<never>(driving, step)
  return waitEffect(driving, { ...step, state: 'waiting' }, (sql) => tool.begin(call, sql, driving.context), note)
}

function waitEffect(
  driving: Driving,
  step: Step,
  open: (sql: Sql) => Promise<Begun | Outcome>,
  note: (outcome: Outcome) => void,
): Effect {
  return {
    kind: 'begin',
    begin: open,
    record(change, begun) {
      driving.open = driving.open.filter(({ seq }) => seq !== step.seq)
      if (!('waiting_on' in begun)) {
        recordOutcome(change, step, begun)
        return note(begun)
      }
      const { waiting_on, events = [] } = begun
      const waiting = { ...step, result: { waiting_on } }
      putStep(change, waiting)
      for (const { event, data } of events) addEvent(change, event, data)
      driving.open.push(waiting)
    },
  }
}

/** An effect that PostgreSQL refuses fails its own call, not the run. `isLate`: the model has heard its outcome already. */
async function commitCalls(
  driving: Driving,
  change: Change,
  effects: Effect[],
  plans: Plan[],
  results: Map<number, Outcome>,
  follow?: { followUp: FollowUp; isLate: () => boolean },
): Promise<void> {
  try {
    await commit(driving, change, effects, follow?.followUp)
  } catch (error) {
    if (effects.length === 0 || follow?.isLate() || !isRefused(error)) throw error
    const { log } = driving.context
    log.error({ err: error, run_id: driving.run.id }, 'a call could not take effect')
    const affected = plans.filter(({ way }) => way !== 'outside' && way !== 'refused')
    const failed = { error: insideFailure }
    for (const { step } of affected) {
      driving.open = driving.open.filter(({ seq }) => seq !== step.seq)
      results.set(step.seq, failed)
      recordOutcome(change, step, failed)
    }
    await commit(driving, change)
  }
}

interface Making {
  /** The call may have happened already: look first. */
  probe?: boolean
  /** For a call that a person approved: what must not have changed when it is sent. */
  bound?: Bound | undefined
}

/** Makes an outside call whose intent is committed, and commits its outcome. Whoever holds the run meanwhile can wait for that. */
async function make(driving: Driving, step: Step, options: Making = {}): Promise<void> {
  const { underWay } = driving
  const key = underWayKey(driving.run.id, step)
  const making = makeOnce(driving, step, options)
  underWay.set(key, making)
  try {
    await making
  } finally {
    underWay.delete(key)
  }
}

async function makeOnce(driving: Driving, step: Step, { probe = false, bound }: Making): Promise<void> {
  const { context, signal } = driving
  const tool = driving.toolBox.find(step.tool!)
  if (tool?.kind !== 'outside') throw new Error(`${step.tool} does not act outside`)
  driving.watch.calling(step)
  const call = toolCallOf<never>(driving, step)
  const outside = {
    context,
    signal: AbortSignal.any([signal, AbortSignal.timeout(tool.timeoutMs)]),
    kept: driving.kept,
    ...(bound && { bound }),
  }
  let outcome: Outcome | undefined
  let scrub: Scrub | undefined
  try {
    scrub = await scrubberOf(driving)
    if (probe && tool.probe) outcome = await unlessAborted(tool.probe(call, outside), signal)
    outcome ??= await unlessAborted(tool.execute(call, outside), signal)
    if (scrub) outcome = withoutSecrets(outcome, scrub)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NotYet) return putOff(driving, step, error)
    if (error instanceof Outdated) return askAgain(driving, step, error.message)
    const sentence = ownFailure(driving, error) ?? failureSentence(tool.timeoutMs, error)
    outcome = { error: scrub ? scrub(sentence) : sentence }
  }
  try {
    await recordResult(driving, step, outcome)
  } catch (error) {
    // the run was taken over while this process lives: its outcome is still true
    if (error instanceof Fenced && (await keepLate(driving, step, outcome))) {
      context.log.warn({ run_id: driving.run.id, step: step.seq }, 'an outcome is kept for a run that was taken over')
    }
    throw error
  }
}

/** Whatever the build's connections hold is known to be secret, whichever call returns it. */
async function scrubberOf({ context, run, build }: Driving): Promise<Scrub | undefined> {
  const use = build.connections.length > 0 ? connectionUseOf(context) : undefined
  return use?.scrubber({ context, teamId: run.team_id, connectionIds: build.connections })
}

const insideFailure = 'This call failed inside the service. Its operator finds the reason in the log.'

/** What our own database says is for the operator; undefined: it was not our database. */
function ownFailure({ context, run }: Driving, error: unknown): string | undefined {
  if (sqlState(error) === undefined && !(error instanceof DatabaseAway)) return undefined
  context.log.error({ err: error, run_id: run.id }, 'a call failed inside the service')
  return insideFailure
}

/** It did not happen: its run waits for what it needs, and makes it then. */
async function putOff(driving: Driving, step: Step, notYet: NotYet): Promise<void> {
  const waits = waitEffect(driving, { ...step, state: 'waiting' }, notYet.begin, () => undefined)
  await commit(driving, newChange(driving.run, driving.turn), [waits])
}

/** The call did not happen: a person decides about it as it is now. */
async function askAgain(driving: Driving, step: Step, reason: string): Promise<void> {
  const asked: Step = { ...step, state: 'approval', result: null }
  const open = (sql: Sql) => askAbout(driving, asked, approvalRequest(asked, reason), sql)
  await commit(driving, newChange(driving.run, driving.turn), [waitEffect(driving, asked, open, () => undefined)])
}

async function recordResult(driving: Driving, step: Step, outcome: Outcome): Promise<void> {
  const { outcome: clean, overflow } = capped(step, outcome)
  const effects = filesOf(outcome, overflow).map((file) => writeEffect(driving, step, file))
  if (outcome.record) effects.push(recordEffect(outcome.record))
  const told = await commitResult(driving, step, clean, effects)
  driving.open = driving.open.filter(({ seq }) => seq !== step.seq)
  feedOutcome(driving, step, told)
}

/**
 * The outcome as it was recorded. A call that was made is never repeated because of its result: if the result cannot be written, for any
 * reason, the step ends with a sentence that says so.
 */
async function commitResult(driving: Driving, step: Step, outcome: Outcome, effects: Effect[]): Promise<Outcome> {
  const change = newChange(driving.run, driving.turn)
  recordOutcome(change, step, outcome)
  try {
    await commit(driving, change, effects)
    return outcome
  } catch (error) {
    if (error instanceof CannotKeep) return commitResult(driving, step, { error: error.message }, [])
    const isPassing = error instanceof Fenced || error instanceof Yielded || isTransient(error)
    if (isPassing || driving.writeSignal.aborted || ('error' in outcome && outcome.error === keepFailure)) throw error
    driving.context.log.error({ err: error, run_id: driving.run.id }, 'the result of a call could not be saved')
    return commitResult(driving, step, { error: keepFailure }, [])
  }
}

/** A file of the run's workspace that comes with a result, as what is too long for a message does. */
function writeEffect(driving: Driving, step: Step, file: FileToKeep): Effect {
  return {
    kind: 'inside',
    tool: 'sandbox_write_file',
    call: { ...toolCallOf(driving, step), input: file } as never,
    record(change, written) {
      if ('error' in written) throw new CannotKeep(`What the call brought could not be kept: ${written.error}`)
      for (const one of written.files ?? []) addEvent(change, 'run.file.created', one)
    },
  }
}

function recordEffect(record: NonNullable<Outcome['record']>): Effect {
  return {
    kind: 'begin',
    async begin(sql) {
      await record(sql)
      return { result: null }
    },
    record: () => undefined,
  }
}

/** Calls that have no outcome yet: some have got one meanwhile, some may be made now, some go on waiting. */
export async function settleOpen(driving: Driving): Promise<void> {
  const { sql } = driving.context.db
  for (const step of driving.open.filter(({ kind }) => kind !== 'model')) {
    const tool = driving.toolBox.find(step.tool!)
    const settled = await settle(driving, step, tool, sql)
    if (settled.kind === 'outcome') await recordResult(driving, step, settled.outcome)
    else if (settled.kind === 'make' || settled.kind === 'probe') {
      const word = await checkWord(driving, settled.step, tool!, sql)
      const probe = settled.kind === 'probe'
      if ('changed' in word) await askAgain(driving, settled.step, word.changed)
      else if (probe) await make(driving, settled.step, { probe, bound: word.bound })
      else await makeSettled(driving, settled.step, tool!, word.bound)
    } else if (settled.kind === 'ask') {
      const asked = settled
      const open = (tx: Sql) => askAbout(driving, asked.step, asked.request, tx)
      await commit(driving, newChange(driving.run, driving.turn), [
        waitEffect(driving, asked.step, open, () => undefined),
      ])
    }
  }
}

async function makeSettled(driving: Driving, step: Step, tool: Tool, bound: Bound | undefined): Promise<void> {
  const change = newChange(driving.run, driving.turn)
  if (tool.kind === 'outside') {
    putStep(change, step)
    await commit(driving, change)
    return make(driving, step, { bound })
  }
  const results = new Map<number, Outcome>()
  const note = (outcome: Outcome) => results.set(step.seq, outcome)
  const effect = tool.kind === 'inside' ? insideEffect(driving, step, note) : beginEffect(driving, step, tool, note)
  await commitCalls(driving, change, [effect], [{ way: tool.kind, step, tool }], results)
  const outcome = results.get(step.seq)
  if (!outcome) return
  driving.open = driving.open.filter(({ seq }) => seq !== step.seq)
  feedOutcome(driving, step, outcome)
}

/** Waits for all, so that none writes after the run was let go; then the first failure counts. */
async function allEnded(works: Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(works)) if (settled.status === 'rejected') throw settled.reason
}

/** A tool that does not listen to its signal must not keep the run: its late answer is nobody's any more. */
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
