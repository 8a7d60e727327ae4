// Drives one held run, turn by turn, until it ends, must wait, or is no longer ours. Every write goes through the ledger; memory is only a copy.
import { parseBounded } from '../../base/boundedJson.ts'
import { setImmediate } from 'node:timers/promises'
import { oneLine } from '../../base/oneLine.ts'
import { bytesHeld } from '../../base/valueSize.ts'
import { threadTimeMs } from '../../base/threadTime.ts'
import type { RunFacts, Setup, TokenUsage, Turn } from '../../drivers/model/model.ts'
import type { Context } from '../../kit/context.ts'
import { givenUpDeaths } from '../../kit/deaths.ts'
import { type ToolSet } from '../../kit/feature.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { defaultPlugins } from '../builds/buildConfig.ts'
import { addMessage, isCall, newChange, putStep, type Change, type ModelStep, messageText } from '../ledger/change.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import { callingRunOf, commit, feed, type HeldRun, type DriveParts, type Hold } from './heldRun.ts'
import type { Ending } from '../ledger/applyLane.ts'
import { entriesOf, entryOf, readMessages, readSteps } from '../ledger/history.ts'
import { giveUp } from './giveUp.ts'
import { createOpenResources } from './openResources.ts'
import { complete, fail, failWith, pause } from './releaseRun.ts'
import { reachedLimit, reachedMemory } from './limits.ts'
import type { LoadedBuild } from '../builds/loadBuild.ts'
import { outputTokensMax } from '../builds/models.ts'
import { checkOutput, type OutputMisfit } from '../builds/outputSchema.ts'
import { unlessAborted } from './makeCall.ts'
import { performCalls } from './performCalls.ts'
import { resolveOpenSteps } from './resolveOpenSteps.ts'
import { askModel, nextOfPure, usedBy, withUse } from './turn.ts'
import { beginStretch } from './runTelemetry.ts'
import { connectionUseOf } from '../../kit/registry.ts'
import { LimitReached, Yielded } from './leaving.ts'

/** How long reading a log again may block the process. */
const recallMs = 20
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
  const build = await parts.loadBuild(parts.context.db.sql, run)
  const ofConnections = await toolsOfConnections(parts.context, run, build, signal)
  const held = time.piece(run.team_id, () => open(parts, run, build, ofConnections, hold))
  if (run.failures >= failuresMax) {
    return failWith(held, 'internal_error', 'The run could not be advanced. Its operator finds the reason in the log.')
  }
  try {
    await recall(held)
    for (;;) {
      signal.throwIfAborted()
      if (!mayContinue()) throw new Yielded()
      await time.turn(run.team_id)
      await resolveOpenSteps(held)
      await readNews(held)
      const waits = held.open.find(isCall)
      if (waits) {
        if (await pause(held, waits)) return
        continue
      }
      const limit = reachedLimit(held) ?? reachedMemory(held)
      if (limit) return await failWith(held, 'limit_reached', limit)
      if (await takeTurn(parts, held)) return
    }
  } catch (error) {
    if (!(signal.aborted && signal.reason instanceof LimitReached)) throw error
    await failWith(held, 'limit_reached', signal.reason.message)
  } finally {
    await held.openResources.close()
  }
}

/** The tools as they are when the run is taken: tools that come or change later are for the next process that takes it. */
async function toolsOfConnections(
  context: Context,
  run: ClaimedRun,
  build: LoadedBuild,
  signal: AbortSignal,
): Promise<ToolSet[]> {
  const use = build.connections.length > 0 ? connectionUseOf(context) : undefined
  if (!use) return []
  const tools = use.tools({ sql: context.db.sql, context, run: callingRunOf(run), connectionIds: build.connections })
  // a server may take long to list its tools
  return unlessAborted(tools, signal)
}

function open(
  parts: DriveParts,
  run: ClaimedRun,
  build: LoadedBuild,
  ofConnections: ToolSet[],
  { signal, writeSignal, workerId }: Hold,
): HeldRun {
  const { context, applyLane, models, telemetry } = parts
  const toolRegistry = parts.toolRegistry.with(ofConnections)
  const modelName = build.model ?? models.defaultModel
  beginStretch(telemetry, build.agentName, modelName)
  const model = models.find(modelName)
  const facts = factsOf(run, build)
  const resolver = parts.resolverFor(build.procedure, facts, model.isPure)
  const sets = [...(build.plugins ?? defaultPlugins), ...resolver.sets, ...ofConnections.map(({ name }) => name)]
  const setup: Setup = {
    model: modelName,
    procedure: build.procedure,
    tools: [...toolRegistry.describe(sets), ...resolver.tools],
    facts,
    output_schema: build.output_schema,
    output_tokens_max: run.limits.max_cost_usd === null ? null : outputTokensMax,
  }
  const { steps, input_tokens, output_tokens, cost_usd } = run
  return {
    run,
    build,
    context,
    toolRegistry,
    applyLane,
    telemetry,
    model,
    modelName,
    resolver,
    workerId,
    sets,
    signal,
    writeSignal,
    atEnd: parts.atEnd(run),
    conversation: model.open(setup),
    turn: 0,
    step: 0,
    open: [],
    wakeSeen: run.wake_seq,
    wakeSeq: run.wake_seq,
    messageSeen: 0,
    usage: { steps, input_tokens, output_tokens, cost_usd },
    misfits: 0,
    promptBytes: model.isPure ? 0 : JSON.stringify(setup).length,
    heldBytes: bytesHeld(run.message),
    callNames: new Map(),
    openResources: createOpenResources(context.log, run.id),
    line: { tail: Promise.resolve() },
    underWay: parts.underWay,
  }
}

const factsOf = (run: ClaimedRun, build: LoadedBuild): RunFacts => ({
  message: run.message,
  case: caseOf(run),
  run: {
    id: run.id,
    number: run.run_number,
    title: run.title,
    agent_id: run.agent_id,
    agent_name: build.agentName,
    source: run.source,
    created_at: run.created_at.toISOString(),
  },
})

/** The case as it was when the run got it; its data is parsed where it is JSON. */
function caseOf({ source, message }: ClaimedRun): unknown {
  if (source !== 'case_trigger' && source !== 'retry') return null
  const given = (message as { case?: { data: string } } | null)?.case
  return given ? { ...given, data: parsed(given.data) } : null
}

function parsed(text: string): unknown {
  try {
    return parseBounded(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** Feeds the model everything that happened before this worker took the run. */
async function recall(held: HeldRun): Promise<void> {
  const { run, context } = held
  // a run that nobody held before has nothing but the message it was started with
  if (run.epoch === 1 && run.steps === 0 && run.message_seq <= 1) {
    const text = messageText(run.message)
    if (text !== undefined) feed(held, { kind: 'user', text, restarts: false })
    held.messageSeen = run.message_seq
    return
  }
  const messages = await readMessages(context.db.sql, run.id, 0)
  const { entries, turn } = entriesOf(messages)
  const time = teamTimeOf(context)
  let resumedAt = threadTimeMs()
  for (const entry of entries) {
    feed(held, entry)
    // a model that follows a procedure evaluates every step again, and the log may be long
    if (threadTimeMs() - resumedAt < recallMs) continue
    time.usedThread(run.team_id, threadTimeMs() - resumedAt)
    await (time.turn(run.team_id) ?? setImmediate())
    resumedAt = threadTimeMs()
  }
  held.turn = turn
  held.messageSeen = messages.at(-1)?.seq ?? 0
  const { open: steps, lastSeq } = await readSteps(context.db.sql, run.id)
  held.open = steps
  held.step = lastSeq
}

/** Feeds what people said since the last turn; read only when somebody raised the run's wake number. */
async function readNews(held: HeldRun): Promise<void> {
  if (held.wakeSeq === held.wakeSeen) return
  held.wakeSeen = held.wakeSeq
  for (const message of await readMessages(held.context.db.sql, held.run.id, held.messageSeen)) {
    held.messageSeen = message.seq
    if (message.role === 'user') feed(held, entryOf(message))
  }
}

/** One turn of the model and what follows from it; true when this process is done with the run. */
async function takeTurn(parts: DriveParts, held: HeldRun): Promise<boolean> {
  const { models } = parts
  const costOf = (usage: TokenUsage) => models.costOf(held.modelName, usage)
  const asked = await askModel(held, {
    worstCost: () => models.worstCost(held.modelName, held.promptBytes),
    costOf,
    onText: (delta) => parts.onText(held.run.id, delta),
  })
  if (asked.kind === 'failed') {
    await failWith(held, asked.code, asked.message, asked.step)
    return true
  }
  if (asked.kind === 'later') {
    const detail = { reason: 'model_unavailable', message: asked.reason }
    const waiting_on = { kind: 'time', detail, due_at: asked.at }
    const step: ModelStep = { ...asked.step, state: 'waiting', result: { waiting_on } }
    held.open.push(step)
    return pause(held, step)
  }
  const change = newChange(held.run, held.turn + 1)
  if (asked.step) endModelStep(change, asked.step, usedBy(asked.turn.usage, costOf), asked.turn.text)
  return recordTurn(held, change, asked.turn)
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
  if (turn.thinking) addMessage(change, { type: 'thinking', role: 'assistant', text_content: turn.thinking })
  if (turn.text) {
    const opaque = ending.kind === 'calls' ? null : turn.opaque
    addMessage(change, { type: 'text', role: 'assistant', text_content: turn.text, opaque })
  }
  if (ending.kind === 'calls') {
    return performCalls(held, change, turn, () => endingOfPure(held, change.usage.steps))
  }
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

/**
 * The last turn of a pure model costs nothing, so it joins the write of the results that lead to it: one commit less for each run. Null:
 * the run continues, or its end is noticed in the next turn.
 */
async function endingOfPure(held: HeldRun, newSteps: number): Promise<Ending | null> {
  const usage = { ...held.usage, steps: held.usage.steps + newSteps }
  if (reachedLimit({ run: held.run, usage })) return null
  const { text, ending } = await nextOfPure(held)
  if (ending.kind !== 'done' || misfitOf(held, ending.output)) return null
  return { text, move: { status: 'completed', output: ending.output, wakeSeen: held.wakeSeen } }
}

function misfitOf({ build, context, run }: HeldRun, output: unknown): OutputMisfit | undefined {
  const { output_schema: schema } = build
  return schema === null ? undefined : teamTimeOf(context).piece(run.team_id, () => checkOutput(schema, output))
}
