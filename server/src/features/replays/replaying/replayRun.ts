// Replays one recorded run with a build: the model decides, the record answers. Nothing outside happens, because there is nothing here that could act.
import { brief } from '../../../kit/json.ts'
import { scrubbed } from '../../../base/knownSecrets.ts'
import { storable } from '../../../base/storable.ts'
import { inStoredOrder } from '../../../base/storedOrder.ts'
import { bytesHeld } from '../../../base/valueSize.ts'
import type { Conversation, Entry, SeenFile, Turn, WantedCall } from '../../../drivers/model/model.ts'
import { checkOutput } from '../../../engine/builds/outputSchema.ts'
import { cleanTurn, isOfProcedure } from '../../../engine/driving/hiddenValues.ts'
import { raisedText } from '../../../engine/driving/askForMore.ts'
import { reachedLimit, type Reached } from '../../../engine/driving/limits.ts'
import { bytesOf, newView, planRoom, shownEntries, type View } from '../../../engine/driving/modelView.ts'
import { planCall, type Plan } from '../../../engine/driving/planCalls.ts'
import { dropAtBounds, shownBytesMax, shownFiles } from '../../../engine/driving/shownFiles.ts'
import { engineOf } from '../../../engine/engine.ts'
import { callIdOf } from '../../../engine/ledger/change.ts'
import { isMore, sum } from '../../../engine/ledger/money.ts'
import { blobsOfRuns } from '../../../kit/blobs.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import { compareRuns } from './compareRuns.ts'
import type { Ending } from './heldReplayRun.ts'
import { NotReplayable, type LiveTurns } from './liveTurns.ts'
import type { OpenReplay } from './openReplay.ts'
import { recordedAnswers } from './recordedAnswers.ts'
import type { ReplayEnd, Replaying } from './replayState.ts'
import { findingsMax, type Finding, type ReplayedCall } from './report.ts'

/** How many calls may have no answer in the record before a replay has strayed too far to say more. */
const unmatchedMax = 20
/** How often a model may try again when its output does not fit the build's schema, as in a run. */
const misfitsMax = 3

export async function replayRun(open: OpenReplay, live: LiveTurns, signal: AbortSignal): Promise<Ending> {
  const { content, context, teamId } = open
  const replaying: Replaying = {
    ...open,
    answers: recordedAnswers(content.calls),
    findings: [],
    calls: [],
    alike: new Map(),
    words: [...content.said],
    more: [...content.more],
    limits: open.build.limits,
    rules: undefined,
    log: [],
    view: newView(),
    messages: [],
    turn: 0,
    step: 0,
    unmatched: 0,
    misfits: 0,
    usage: { steps: 0, input_tokens: 0, output_tokens: 0, cost_usd: '0' },
    modelMs: 0,
    heldBytes: 0,
    conversation: open.model.isPure ? open.team.find(open.names[0]!).open(open.setupFor(open.names[0]!)) : undefined,
  }
  const time = teamTimeOf(context)
  for (;;) {
    signal.throwIfAborted()
    await time.turn(teamId)
    const end = await takeTurn(replaying, live, signal)
    if (end) return time.piece(teamId, () => compareRuns(replaying, end))
  }
}

/** One turn and what follows from it; undefined: the run continues. */
async function takeTurn(of: Replaying, live: LiveTurns, signal: AbortSignal): Promise<ReplayEnd | undefined> {
  hear(of)
  const limit = limitOf(of)
  if (limit) return limit
  const asked = of.conversation ? await pureTurn(of, of.conversation, signal) : await liveTurn(of, live)
  if ('refused' in asked) {
    const { code, message } = asked.refused
    return code === 'limit_reached'
      ? atLimit(of, { limit: 'max_cost_usd', says: message })
      : { status: 'failed', error: { code, message } }
  }
  const turn = cleanTurn(asked.turn, of.scrub)
  const { ending } = turn
  if (ending.kind === 'calls') return answerCalls(of, turn)
  note(of, turn.text)
  if (ending.kind === 'failed') {
    const { code, message } = ending
    return continues(of, turn) ? undefined : { status: 'failed', error: { code, message } }
  }
  return recordOutput(of, turn, ending.output)
}

const pureTurn = async ({ context, teamId }: Replaying, conversation: Conversation, signal: AbortSignal) => ({
  turn: storable(await teamTimeOf(context).piece(teamId, () => conversation.next({ signal, onText: () => undefined }))),
})

function limitOf(of: Replaying): ReplayEnd | undefined {
  if (of.heldBytes > of.context.config.runMemoryBytes)
    throw new NotReplayable('The run takes more memory than a run may have.')
  for (;;) {
    const reached = reachedLimit({ run: of, usage: of.usage })
    if (!reached) return undefined
    const end = atLimit(of, reached)
    if (end) return end
  }
}

/** The run fails, or asks for more, as its build says; what people answered comes from the record. Undefined: it has more now. */
function atLimit(of: Replaying, { limit, says }: Reached): ReplayEnd | undefined {
  if (of.build.onLimit === 'fail') return failedAtLimit(says)
  const said = of.more.find((one) => one.limit === limit && String(one.from) === String(of.limits[limit]))
  if (!said) {
    throw new NotReplayable(
      `It reached a limit at which the build asks a person for more, and the recorded run did not ask that. ${says}`,
    )
  }
  of.more = of.more.filter((one) => one !== said)
  of.step += 1
  of.usage.steps += 1
  if (!said.is_approved) return failedAtLimit(said.error ?? says)
  of.limits = { ...of.limits, [limit]: said.to }
  feed(of, { kind: 'system', text: raisedText(said) })
  return undefined
}

const failedAtLimit = (message: string): ReplayEnd => ({ status: 'failed', error: { code: 'limit_reached', message } })

/** Feeds what people said up to this turn of the recorded run. */
function hear(of: Replaying): void {
  while (of.words[0] && of.words[0].turn <= of.turn && !of.words[0].restarts) say(of)
}

function say(of: Replaying): void {
  const { text, restarts } = of.words.shift()!
  feed(of, { kind: 'user', text, restarts })
}

/** Whether somebody's message started the recorded run again after its end. */
function continues(of: Replaying, turn: Turn): boolean {
  if (!of.words[0]?.restarts) return false
  if (!of.conversation || turn.text) feed(of, { kind: 'assistant', text: turn.text, calls: [], opaque: turn.opaque })
  of.turn += 1
  say(of)
  return true
}

function feed(of: Replaying, told: Entry): void {
  const entry = of.conversation ? told : asRead(of, told)
  of.resolver.add(entry)
  of.heldBytes += bytesHeld(entry)
  if (of.conversation) of.conversation.add(entry)
  else of.log.push({ entry, turn: of.turn, seq: 0 })
}

/** The entry as a run reads it from its log. */
function asRead({ scrub }: Replaying, told: Entry): Entry {
  const entry = scrub ? scrubbed(told, scrub) : told
  return entry.kind === 'user' || entry.kind === 'system' ? entry : inStoredOrder(entry)
}

const find = ({ findings, turn }: Replaying, kind: Finding['kind'], tool: string | null, message: string): void => {
  if (findings.length < findingsMax) findings.push({ kind, turn, tool, message })
}

function note(of: Replaying, text: string | null): void {
  if (!text) return
  const id = callIdOf(of.content.run.id, of.messages.length)
  of.messages.push({ id, turn: of.turn + 1, role: 'assistant', text_content: text, tool_call: null, tool_result: null })
}

async function liveTurn(of: Replaying, live: LiveTurns) {
  const { context, names, team, usage } = of
  const { models } = engineOf(context)
  const asked = await live.next({
    seq: of.turn + of.misfits + 1,
    names,
    open: (name) => {
      const setup = of.setupFor(name)
      const fixedBytes = JSON.stringify(setup).length
      const sight = models.sightOf(name)
      of.view = viewThatFits(of, { fixedBytes, sight, window: models.windowOf(name) })
      const entries = shownEntries(of.log, of.view, sight)
      const conversation = team.find(name).open(setup)
      for (const entry of entries) conversation.add(entry)
      return { conversation, bytes: fixedBytes + bytesOf(entries) }
    },
    readFiles: async (sha256s) => {
      const found = await blobsOfRuns(context, context.db.sql).get(sha256s)
      const gone = sha256s.filter((sha256) => !found.has(sha256)).length
      if (gone > 0)
        find(of, 'file_gone', null, `${gone} files that the recorded run showed its model are not stored any more.`)
      return found
    },
    refusal: (worst) => {
      const { max_cost_usd: max } = of.limits
      if (max === null || !isMore(sum(usage.cost_usd, worst), max)) return undefined
      return `The next model call could cost more than is left of the limit max_cost_usd (${max}).`
    },
  })
  if ('refused' in asked) return asked
  if (asked.model !== names[0]) find(of, 'other_model', null, `${asked.model} answered: ${names[0]} did not.`)
  usage.steps += 1
  usage.input_tokens += asked.turn.usage.input_tokens
  usage.output_tokens += asked.turn.usage.output_tokens
  usage.cost_usd = sum(usage.cost_usd, asked.cost_usd)
  of.modelMs += asked.ms
  return asked
}

interface Bounds {
  fixedBytes: number
  sight: ReturnType<ReturnType<typeof engineOf>['models']['sightOf']>
  window: number
}

/** Old pictures are left out and old results shortened, as in a run; where a run would write notes, a replay ends. */
function viewThatFits(of: Replaying, bounds: Bounds): View {
  for (let { view } = of; ;) {
    const shorter = shorterView(of, view, bounds)
    if (!shorter) return view
    view = shorter
  }
}

/** Undefined: it fits, or nothing more can be left out. */
function shorterView({ context, log }: Replaying, view: View, { fixedBytes, sight, window }: Bounds): View | undefined {
  const dropped = dropAtBounds(shownFiles(log, view, sight), shownBytesMax(context.config.runMemoryBytes))
  if (dropped !== undefined) return { ...view, dropped }
  const limitBytes = (window * view.bytesPerToken * context.config.foldAt) / 100
  if (fixedBytes + bytesOf(shownEntries(log, view, sight)) <= limitBytes) return undefined
  const plan = planRoom(log, view, { fixedBytes, limitBytes, sight })
  if (plan.kind === 'none') return undefined
  if (plan.kind === 'fold') {
    throw new NotReplayable(
      'The conversation became longer than what the model can hold. A run would fold it there, which a replay does not.',
    )
  }
  const { kind: _kind, ...changed } = plan
  return { ...view, ...changed }
}

/** Answers the calls of a turn from the record. */
function answerCalls(of: Replaying, turn: Turn): ReplayEnd | undefined {
  const { content, usage } = of
  note(of, turn.text)
  const plans = turn.calls.map((call, index) => planCall(of, call, of.step + 1 + index))
  const calls = plans.map(({ step }, index) => ({ ...turn.calls[index]!, id: callIdOf(content.run.id, step.seq) }))
  of.turn += 1
  of.step += plans.length
  usage.steps += plans.length
  feed(of, { kind: 'assistant', text: turn.text, calls, opaque: turn.opaque })
  for (const [index, plan] of plans.entries()) tell(of, calls[index]!, answer(of, plan, turn.calls[index]!))
  if (of.unmatched <= unmatchedMax) return undefined
  const message = `More than ${unmatchedMax} calls were not in the record, so the replay of this run ended here.`
  return { status: 'failed', error: { code: 'replay_strayed', message } }
}

interface Outcome {
  result: unknown
  error: string | null
  files?: SeenFile[] | null
}

function tell(of: Replaying, call: WantedCall, { result, error, files }: Outcome): void {
  const { id, name } = call
  const seen = files && files.length > 0 ? { files } : {}
  feed(of, { kind: 'result', call_id: id, name, result, error, ...seen })
  const bare = { turn: of.turn, text_content: null, tool_call: null, tool_result: null }
  of.messages.push({ ...bare, id, role: 'assistant', tool_call: call })
  of.messages.push({
    ...bare,
    id: `${id}:result`,
    role: 'tool',
    tool_result: { tool_call_id: id, result: null, error },
  })
}

function answer(of: Replaying, plan: Plan, wanted: WantedCall): Outcome {
  const { step } = plan
  const { tool, arguments: args } = step
  const made: ReplayedCall = { step: step.seq, tool, arguments: args, error: null }
  of.calls.push(made)
  const answered = of.answers.take(tool, args, !isOfProcedure(wanted, of.model.isPure))
  const recorded = answered.how === 'unmatched' ? undefined : answered.call
  if (answered.how === 'alike') {
    of.alike.set(made, answered.call)
    find(
      of,
      'alike_call',
      tool,
      `It differs from step ${answered.call.step} of the recorded run only in ids and times.`,
    )
  }
  if (plan.way === 'refused') {
    made.error = plan.error
    // a call that the recorded run was refused too
    if (recorded && recorded.error === null)
      find(of, 'call_refused', tool, `The build refuses a call that the recorded run made: ${plan.error}`)
    return { result: null, error: plan.error }
  }
  if (!recorded) return unmatched(of, plan, made)
  if (answered.how === 'repeated') {
    find(of, 'repeated_call', tool, 'It was called more often than in the recorded run, and got its last answer again.')
  }
  if (plan.way === 'approval' && recorded.asked_by === null) {
    find(of, 'approval_added', tool, 'The build asks a person to approve this call; the recorded run asked nobody.')
  }
  // where guardrails asked, they ask whatever the build says
  if (plan.way !== 'approval' && recorded.asked_by === 'build') {
    find(
      of,
      'approval_removed',
      tool,
      'A person approved or rejected this call in the recorded run; the build asks nobody.',
    )
  }
  made.error = recorded.error
  return { result: recorded.error === null ? recorded.result : null, error: recorded.error, files: recorded.files }
}

/** The call is not made, whatever it is. Time passes at once all the same. */
function unmatched(of: Replaying, plan: Exclude<Plan, { way: 'refused' }>, made: ReplayedCall): Outcome {
  const { content } = of
  const { tool } = made
  of.unmatched += 1
  const other = content.calls.find((call) => call.tool === tool)
  const says = other
    ? 'The recorded run did not call it with these arguments.'
    : `The recorded run did not call ${brief(tool)}.`
  find(of, 'unmatched_call', tool, `${says} The call was not made.`)
  if (plan.tool.kind === 'waiting' && plan.tool.waitsFor === 'time') {
    return { result: { waited_until: content.run.created_at }, error: null }
  }
  made.error = 'This call is not in the record of the run that is replayed, and a replay makes no calls.'
  return { result: null, error: made.error }
}

function recordOutput(of: Replaying, turn: Turn, output: unknown): ReplayEnd | undefined {
  const { build, model } = of
  const schema = build.output_schema
  const misfit = schema === null ? undefined : checkOutput(schema, output)
  if (!misfit) return continues(of, turn) ? undefined : { status: 'completed', output }
  if (model.isPure || misfit.isHopeless || of.misfits >= misfitsMax) {
    const message = `The output does not fit the build's output_schema: ${misfit.says}`
    return { status: 'failed', error: { code: 'output_invalid', message } }
  }
  of.misfits += 1
  feed(of, { kind: 'assistant', text: turn.text, calls: [], opaque: turn.opaque })
  feed(of, {
    kind: 'system',
    text: `Your output does not fit the schema: ${misfit.says} Answer again with an output that fits.`,
  })
  return undefined
}
