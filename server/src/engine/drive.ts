// Drives one held run, turn by turn, until it ends, must wait, or is no longer ours. Every write goes through the ledger; memory is only a copy.
import type { Entry, RunFacts, Setup, Turn } from '../drivers/model/model.ts'
import type { Sql } from '../base/db.ts'
import type { Context } from '../kit/context.ts'
import type { Begun, Outcome, Tool } from '../kit/tool.ts'
import { defaultPlugins } from './buildConfig.ts'
import { planCall, type Plan } from './calls.ts'
import { addEvent, addMessage, newChange, putStep, type Change, type Move, type Step } from './change.ts'
import type { Held } from './claim.ts'
import { messageText } from './createRun.ts'
import { callIdOf, Fenced, LimitReached, toolCallOf, waitingOnOf, Yielded, type Driving } from './driving.ts'
import { entriesOf, entryOf, readMessages, readSteps } from './history.ts'
import { limitsOf, reachedLimit } from './limits.ts'
import type { LoadBuild } from './loadBuild.ts'
import type { EngineModels } from './models.ts'
import { sum } from './money.ts'
import { capped, recordOutcome } from './outcome.ts'
import { misfitOfOutput } from './outputSchema.ts'
import { approvalRequest, askAbout, settle } from './settle.ts'
import type { ResolverFor } from './steps.ts'
import type { ToolBox } from './toolBox.ts'
import { askModel } from './turn.ts'
import type { Watch } from './watch.ts'
import { isSurelyUndone, type Effect, type Write, type Writer } from './writing.ts'

export interface DriveParts {
  context: Context
  writer: Writer
  toolBox: ToolBox
  models: EngineModels
  loadBuild: LoadBuild
  resolverFor: ResolverFor
  onText: (runId: string, delta: string) => void
  /** What belongs to the end of a run, in its transaction. */
  atEnd: (run: Held) => Write['atEnd']
  watch: Watch
}

/** What a model may write in one turn where its cost is bounded: the worst case is reserved before it is asked. */
const outputTokensMax = 8192
/** How often a model may try again when its output does not fit the build's schema. */
const misfitsMax = 3

/** A run that could not be advanced this often fails: the mistake is ours, and trying again does not mend it. */
const failuresMax = 3

export interface Hold {
  /** Aborted when the run was stopped, taken over or ran out of its time. */
  signal: AbortSignal
  failures: number
  mayGoOn: () => boolean
}

export async function driveRun(parts: DriveParts, run: Held, { signal, failures, mayGoOn }: Hold): Promise<void> {
  const { context, writer, toolBox, models, watch } = parts
  const { sql } = context.db
  const build = await parts.loadBuild(sql, run.build_id)
  const modelName = build.model ?? models.defaultModel
  const driving = newDriving(run, build, signal)
  const atEnd = parts.atEnd(run)
  watch.begin(build.agentName, modelName)
  if (failures >= failuresMax) {
    return failWith('internal_error', 'The run could not be advanced. Its operator finds the reason in the log.')
  }
  const found = models.find(modelName)
  if ('problem' in found) return failWith(found.problem.code, found.problem.message)
  const { model } = found
  const facts = factsOf(driving)
  const resolver = parts.resolverFor(build.procedure, facts, model.isPure)
  const sets = [...(build.plugins ?? defaultPlugins), ...resolver.sets]
  const setup: Setup = {
    model: modelName,
    procedure: build.procedure,
    tools: [...toolBox.describe(sets), ...resolver.tools],
    facts,
    output_schema: build.output_schema,
    output_tokens_max: limitsOf(driving).max_cost_usd === null ? null : outputTokensMax,
  }
  driving.conversation = model.open(setup)
  if (!model.isPure) driving.promptBytes = JSON.stringify(setup).length
  await recall()

  try {
    for (;;) {
      signal.throwIfAborted()
      if (!mayGoOn()) throw new Yielded()
      await settleOpen()
      const waits = driving.open.find(({ kind }) => kind !== 'model')
      if (waits) {
        if (await pause(waits)) return
        continue
      }
      const limit = reachedLimit(driving)
      if (limit) return await failWith('limit_reached', limit)
      await readNews()
      if (await takeTurn()) return
    }
  } catch (error) {
    if (signal.aborted && signal.reason instanceof LimitReached) return failWith('limit_reached', signal.reason.message)
    throw error
  }

  /** Writes a change; false: something came meanwhile, so the run was not let go and nothing was written. */
  async function commit(change: Change, effects: Effect[] = [], followUp?: Write['followUp']): Promise<boolean> {
    const applied = await writer.write({ change, effects, ...(atEnd && { atEnd }), ...(followUp && { followUp }) })
    if (applied.outcome === 'fenced') throw new Fenced()
    driving.wakeSeq = applied.wakeSeq
    if (applied.outcome === 'woken') return false
    const { usage } = driving
    usage.steps += change.usage.steps
    usage.input_tokens += change.usage.input_tokens
    usage.output_tokens += change.usage.output_tokens
    usage.cost_usd = sum(usage.cost_usd, change.usage.cost_usd)
    if (change.move) watch.moved(change.move, usage.steps)
    return true
  }

  function feed(entry: Entry): void {
    driving.conversation.add(entry)
    resolver.add(entry)
    if (entry.kind === 'assistant') for (const { id, name } of entry.calls) driving.callNames.set(id, name)
    if (entry.kind === 'result') driving.callNames.delete(entry.call_id)
    if (!model.isPure) driving.promptBytes += JSON.stringify(entry).length
  }

  /** Everything that happened before this worker took the run. */
  async function recall(): Promise<void> {
    // a run that nobody held before has nothing but the message it was started with
    if (run.epoch === 1 && run.steps === 0 && run.message_seq <= 1) {
      const text = messageText(run.message)
      if (text !== undefined) feed({ kind: 'user', text, restarts: false })
      driving.messageSeen = run.message_seq
      return
    }
    const messages = await readMessages(sql, run.id, 0)
    const { entries, turn } = entriesOf(messages)
    for (const entry of entries) feed(entry)
    driving.turn = turn
    driving.messageSeen = messages.at(-1)?.seq ?? 0
    const { open, lastSeq } = await readSteps(sql, run.id)
    driving.open = open
    driving.step = lastSeq
  }

  /** What people said since the last turn; asked only when somebody raised the run's number. */
  async function readNews(): Promise<void> {
    if (driving.wakeSeq === driving.wakeSeen) return
    driving.wakeSeen = driving.wakeSeq
    for (const message of await readMessages(sql, run.id, driving.messageSeen)) {
      driving.messageSeen = message.seq
      if (message.role === 'user') feed(entryOf(message))
    }
  }

  async function takeTurn(): Promise<boolean> {
    const asked = await askModel(driving, {
      model,
      modelName,
      worstCost: () => models.worstCost(modelName, driving.promptBytes),
      commit: async (change) => void (await commit(change)),
      onText: (delta) => parts.onText(run.id, delta),
      watch,
    })
    if (asked.kind === 'later') {
      const detail = { reason: 'model_unavailable', message: asked.reason }
      const waiting = { kind: 'time' as const, detail, due_at: asked.at }
      driving.open.push({ ...asked.step, state: 'waiting', result: { waiting_on: waiting } })
      return pause(driving.open.at(-1)!)
    }
    if (asked.kind === 'failed') {
      await failWith(asked.code, asked.message, asked.step)
      return true
    }
    return record(asked.turn, asked.step)
  }

  /** A turn, written with everything of it that needs nobody else: true when the run is over. */
  async function record(turn: Turn, modelStep: Step | undefined): Promise<boolean> {
    const change = newChange(run, driving.turn + 1)
    if (modelStep) endModelStep(change, modelStep, turn)
    if (turn.thinking) addMessage(change, { type: 'thinking', role: 'assistant', text_content: turn.thinking })
    if (turn.text) {
      const opaque = turn.calls.length === 0 ? turn.opaque : null
      addMessage(change, { type: 'text', role: 'assistant', text_content: turn.text, opaque })
    }
    const said = { kind: 'assistant' as const, text: turn.text, calls: turn.calls, opaque: turn.opaque }
    if (turn.ending.kind === 'failed') {
      const { code, message } = turn.ending
      return finish(change, { status: 'failed', error: { code, message, step: driving.step || null } })
    }
    if (turn.ending.kind === 'done') {
      const misfit = build.output_schema && misfitOfOutput(build.output_schema, turn.ending.output)
      if (!misfit) {
        if (await finish(change, { status: 'completed', output: turn.ending.output })) return true
        // somebody spoke while the model finished: a pure model is simply asked again, another one said its word and goes on
        if (model.isPure) return false
      } else if (model.isPure || ++driving.misfits > misfitsMax) {
        const message = `The output does not fit the build's output_schema: ${misfit}`
        return finish(change, { status: 'failed', error: { code: 'output_invalid', message, step: null } })
      } else {
        const text = `Your output does not fit the schema: ${misfit} Answer again with an output that fits.`
        addMessage(change, { type: 'system', role: 'system', text_content: text })
      }
      await commit(change)
      driving.turn += 1
      feed(said)
      if (misfit) feed({ kind: 'system', text: change.messages.at(-1)!.text_content! })
      return false
    }
    return recordCalls(change, turn)
  }

  function endModelStep(change: Change, step: Step, turn: Turn): void {
    const { input_tokens, output_tokens } = turn.usage
    const cost = models.costOf(modelName, turn.usage)
    const done: Step = {
      ...step,
      input_tokens,
      output_tokens,
      state: 'done',
      error: null,
      cost_usd: cost,
      reserved_usd: '0',
      completed_at: new Date().toISOString(),
    }
    putStep(change, done)
    change.usage = { steps: 1, input_tokens, output_tokens, cost_usd: cost }
    change.reserved_usd = '0'
  }

  /** The calls of a turn, each as far as it goes at once; true when the run is over with them. */
  async function recordCalls(change: Change, turn: Turn): Promise<boolean> {
    driving.turn += 1
    const rules = { toolBox, sets, resolve: resolver.resolve, needsApproval: build.needsApproval }
    const plans = turn.calls.map((call, index) => planCall(driving, call, driving.step + 1 + index, rules))
    const calls = plans.map(({ step }, index) => ({ ...turn.calls[index]!, id: callIdOf(run.id, step.seq) }))
    for (const [index, call] of calls.entries()) {
      // what the driver wants back stands with the first of the turn's messages that is sure to be there
      addMessage(change, {
        type: 'tool_call',
        role: 'assistant',
        tool_call: call,
        opaque: index === 0 ? turn.opaque : null,
      })
    }
    const results = new Map<number, Outcome>()
    const effects = plans.flatMap((plan) => begin(change, plan, results))
    change.usage.steps += plans.length
    driving.step += plans.length

    const tellModel = () => {
      feed({ kind: 'assistant', text: turn.text, calls, opaque: turn.opaque })
      for (const { step } of plans) tellResult(step, results)
    }
    if (model.isPure && plans.every(({ way }) => way === 'inside')) {
      return commitWithEnding(change, effects, plans, results, tellModel)
    }
    await commitCalls(change, effects, plans, results)
    tellModel()
    await allEnded(plans.filter(({ way }) => way === 'outside').map(({ step }) => make(step)))
    return false
  }

  /** A pure model's last word costs nothing to know, so it joins the write of the results that lead to it: one commit less a run. */
  async function commitWithEnding(
    change: Change,
    effects: Effect[],
    plans: Plan[],
    results: Map<number, Outcome>,
    tellModel: () => void,
  ): Promise<boolean> {
    const heard = { isTold: false, move: null as Change['move'] }
    await commitCalls(change, effects, plans, results, {
      isLate: () => heard.isTold,
      async followUp(whole, wakeSeq) {
        // a second attempt of the same write would tell it twice: then the run is rebuilt from its log instead
        if (heard.isTold) throw new Error('a change was tried again after its model had heard of it')
        heard.isTold = true
        tellModel()
        if (wakeSeq === driving.wakeSeen && (await addEnding(whole))) heard.move = whole.move
      },
    })
    if (!heard.isTold) tellModel()
    if (heard.move) watch.moved(heard.move, driving.usage.steps)
    return heard.move !== null
  }

  async function addEnding(change: Change): Promise<boolean> {
    const usage = { ...driving.usage, steps: driving.usage.steps + change.usage.steps }
    if (reachedLimit({ ...driving, usage })) return false
    const { text, ending } = await driving.conversation.next({ signal, onText: () => undefined })
    if (ending.kind !== 'done') return false
    if (build.output_schema && misfitOfOutput(build.output_schema, ending.output)) return false
    if (text) addMessage({ ...change, turn: driving.turn + 1 }, { type: 'text', role: 'assistant', text_content: text })
    change.move = { status: 'completed', output: ending.output, wakeSeen: driving.wakeSeen }
    return true
  }

  /** What a call writes at once: its refusal, its intent, or its effect together with its outcome. */
  function begin(change: Change, plan: Plan, results: Map<number, Outcome>): Effect[] {
    const { step } = plan
    switch (plan.way) {
      case 'refused':
        results.set(step.seq, { error: plan.error })
        recordOutcome(change, step, { error: plan.error })
        return []
      case 'inside':
        return [insideEffect(step, (outcome) => results.set(step.seq, outcome))]
      case 'outside':
        putStep(change, step)
        driving.open.push(step)
        return []
      case 'approval':
        return [waitEffect(step, (tx) => askAbout(driving, step, approvalRequest(step), tx))]
      case 'waiting':
        return [beginEffect(step, plan.tool, (outcome) => results.set(step.seq, outcome))]
    }
  }

  function insideEffect(step: Step, then: (outcome: Outcome) => void): Effect {
    return {
      kind: 'inside',
      tool: step.tool!,
      call: toolCallOf<never>(driving, step),
      record(change, outcome) {
        const clean = capped(step, outcome).outcome
        recordOutcome(change, step, clean)
        then(clean)
      },
    }
  }

  function beginEffect(step: Step, tool: Tool, then: (outcome: Outcome) => void): Effect {
    if (tool.kind !== 'waiting') throw new Error(`${tool.name} does not wait`)
    const waiting: Step = { ...step, state: 'waiting' }
    return waitEffect(waiting, (tx) => tool.begin(toolCallOf<never>(driving, step), tx, context), then)
  }

  function waitEffect(
    step: Step,
    open: (tx: Sql) => Promise<Begun | Outcome>,
    then?: (outcome: Outcome) => void,
  ): Effect {
    return {
      kind: 'begin',
      begin: open,
      record(change, begun) {
        driving.open = driving.open.filter(({ seq }) => seq !== step.seq)
        if (!('waiting_on' in begun)) {
          recordOutcome(change, step, begun)
          return then?.(begun)
        }
        const { waiting_on, events = [] } = begun
        const waiting = { ...step, result: { waiting_on } }
        putStep(change, waiting)
        for (const { event, data } of events) addEvent(change, event, data)
        driving.open.push(waiting)
      },
    }
  }

  /** An effect that PostgreSQL refuses fails its own call, not the run. */
  async function commitCalls(
    change: Change,
    effects: Effect[],
    plans: Plan[],
    results: Map<number, Outcome>,
    then?: { followUp: NonNullable<Write['followUp']>; isLate: () => boolean },
  ): Promise<void> {
    try {
      await commit(change, effects, then?.followUp)
    } catch (error) {
      if (effects.length === 0 || then?.isLate() || !isSurelyUndone(error)) throw error
      context.log.error({ err: error, run_id: run.id }, 'a call could not take effect')
      const seqs = new Set(
        plans.filter(({ way }) => way !== 'outside' && way !== 'refused').map(({ step }) => step.seq),
      )
      driving.open = driving.open.filter(({ seq }) => !seqs.has(seq))
      const failed = { error: 'This call failed inside the service. Its operator finds the reason in the log.' }
      for (const { step } of plans.filter(({ step: { seq } }) => seqs.has(seq))) {
        results.set(step.seq, failed)
        recordOutcome(change, step, failed)
      }
      await commit(change)
    }
  }

  function tellResult(step: Step, results: Map<number, Outcome>): void {
    const outcome = results.get(step.seq)
    if (!outcome) return
    watch.called(step, outcome)
    const error = 'error' in outcome ? outcome.error : null
    const result = 'error' in outcome ? null : outcome.result
    const callId = callIdOf(run.id, step.seq)
    // as the model named it: a block that it ran by run_step stands in the ledger under the block's own tool
    feed({ kind: 'result', call_id: callId, name: driving.callNames.get(callId) ?? step.tool!, result, error })
  }

  /** Makes an outside call whose intent is committed, and commits what it brought. */
  async function make(step: Step, probe = false): Promise<void> {
    const tool = toolBox.find(step.tool!)
    if (tool?.kind !== 'outside') throw new Error(`${step.tool} does not act outside`)
    watch.calling(step)
    const call = toolCallOf<never>(driving, step)
    const outside = { context, signal: AbortSignal.any([signal, AbortSignal.timeout(tool.timeoutMs)]) }
    let outcome: Outcome | undefined
    try {
      if (probe && tool.probe) outcome = await unlessAborted(tool.probe(call, outside), signal)
      outcome ??= await unlessAborted(tool.execute(call, outside), signal)
    } catch (error) {
      signal.throwIfAborted()
      outcome = { error: failureSentence(tool.timeoutMs, error) }
    }
    await recordResult(step, outcome)
  }

  async function recordResult(step: Step, outcome: Outcome): Promise<void> {
    const { outcome: clean, overflow } = capped(step, outcome)
    const change = newChange(run, driving.turn)
    recordOutcome(change, step, clean)
    await commit(change, overflow ? [overflowEffect(step, overflow)] : [])
    driving.open = driving.open.filter(({ seq }) => seq !== step.seq)
    tellResult(step, new Map([[step.seq, clean]]))
  }

  /** A result that is too long for a message is a file of the run's workspace. */
  function overflowEffect(step: Step, file: { path: string; content: string }): Effect {
    return {
      kind: 'inside',
      tool: 'sandbox_write_file',
      call: { ...toolCallOf(driving, step), input: file } as never,
      record(change, written) {
        if ('files' in written) for (const one of written.files ?? []) addEvent(change, 'run.file.created', one)
      },
    }
  }

  async function settleOpen(): Promise<void> {
    for (const step of driving.open.filter(({ kind }) => kind !== 'model')) {
      const tool = toolBox.find(step.tool!)
      const settled = await settle(driving, step, tool, sql)
      if (settled.kind === 'outcome') await recordResult(step, settled.outcome)
      else if (settled.kind === 'make') await makeSettled(settled.step, tool!)
      else if (settled.kind === 'probe') await make(settled.step, true)
      else if (settled.kind === 'ask') {
        const asking = waitEffect(settled.step, (tx) => askAbout(driving, settled.step, settled.request, tx))
        await commit(newChange(run, driving.turn), [asking])
      }
    }
  }

  async function makeSettled(step: Step, tool: Tool): Promise<void> {
    const change = newChange(run, driving.turn)
    if (tool.kind === 'outside') {
      putStep(change, step)
      await commit(change)
      return make(step)
    }
    const results = new Map<number, Outcome>()
    const note = (outcome: Outcome) => results.set(step.seq, outcome)
    const effect = tool.kind === 'inside' ? insideEffect(step, note) : beginEffect(step, tool, note)
    await commitCalls(change, [effect], [{ way: tool.kind, step, tool }], results)
    if (results.has(step.seq)) driving.open = driving.open.filter(({ seq }) => seq !== step.seq)
    tellResult(step, results)
  }

  /** Lets go of the run until what it waits for has come; false: it came already. */
  async function pause(step: Step): Promise<boolean> {
    await readNews()
    const { kind, detail, due_at } = waitingOnOf(step)
    const change = newChange(run, driving.turn)
    if (step.kind === 'model') putStep(change, step)
    const waiting_on = { kind, since: new Date().toISOString(), detail }
    change.move = {
      status: 'waiting',
      waiting_on,
      due_at: due_at ? new Date(due_at) : null,
      wakeSeen: driving.wakeSeen,
    }
    return commit(change)
  }

  async function finish(change: Change, move: Exclude<Move, { status: 'waiting' }>): Promise<boolean> {
    // a failing run cuts its open calls off; a completed one has none
    for (const step of driving.open) {
      putStep(change, { ...step, state: 'cut_off', reserved_usd: '0', completed_at: new Date().toISOString() })
    }
    change.move = { ...move, wakeSeen: driving.wakeSeen }
    if (await commit(change)) return true
    change.move = null
    return false
  }

  /** Fails the run, whatever came meanwhile. */
  async function failWith(code: string, message: string, step?: Step): Promise<void> {
    for (;;) {
      const change = newChange(run, driving.turn)
      if (step)
        putStep(change, {
          ...step,
          state: 'failed',
          error: message,
          reserved_usd: '0',
          completed_at: new Date().toISOString(),
        })
      if (await finish(change, { status: 'failed', error: { code, message, step: step?.seq ?? null } })) return
      driving.wakeSeen = driving.wakeSeq
    }
  }
}

function newDriving(run: Held, build: Driving['build'], signal: AbortSignal): Driving {
  const { steps, input_tokens, output_tokens, cost_usd } = run
  return {
    run,
    build,
    conversation: { add: () => undefined, next: () => Promise.reject(new Error('the model is not open yet')) },
    turn: 0,
    step: 0,
    open: [],
    wakeSeen: run.wake_seq,
    wakeSeq: run.wake_seq,
    messageSeen: 0,
    usage: { steps, input_tokens, output_tokens, cost_usd },
    misfits: 0,
    promptBytes: 0,
    callNames: new Map(),
    signal,
  }
}

const factsOf = ({ run, build }: Driving): RunFacts => ({
  message: run.message,
  case: null,
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

/** Waits for all, so that none writes after the run was let go; then the first failure counts. */
async function allEnded(works: Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(works)) if (settled.status === 'rejected') throw settled.reason
}

/** A tool that does not listen to its signal must not keep the run: its late answer is nobody's any more. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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
