// What an operator sees of a run while this process holds it: spans of its trace, counts for /metrics, one log line when it has ended.
import { ModelRefused, ModelTrouble, type Turn } from '../../drivers/model/model.ts'
import { rootSpanOf, type Attributes, type Span } from '../../base/telemetry.ts'
import type { Context } from '../../kit/context.ts'
import type { ModelOutcome } from '../../kit/runMetrics.ts'
import type { Outcome } from '../../kit/tool.ts'
import { callIdOf, type CallStep, type Move } from '../ledger/change.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import type { ToolRegistry } from '../builds/toolRegistry.ts'
import { Yielded } from './leaving.ts'

/** What is seen of a run from its claim until this process releases it. */
export interface RunTelemetry {
  context: Context
  toolRegistry: ToolRegistry
  run: ClaimedRun
  takenAt: number
  /** Where the trace of the run begins. */
  root: Span['place']
  /** The span of this stretch; undefined until the build of the run is read. */
  stretch: Span | undefined
  /** Attributes that all spans of the stretch have. */
  known: Attributes
  provider: string
  /** Spans of outside calls that are under way, by the number of their step. */
  open: Map<number, Span>
  moved: Move | undefined
}

interface TelemetryParts {
  context: Context
  toolRegistry: ToolRegistry
}

/** Names of providers in the GenAI conventions, where they differ from ours. */
const providerNames: Record<string, string> = { builtin: 'runyard', google: 'gcp.gemini' }

/** Drives a run and reports the stretch from its claim until this process releases it, however it is released. */
export async function withTelemetry(
  { context, toolRegistry }: TelemetryParts,
  run: ClaimedRun,
  drive: (telemetry: RunTelemetry) => Promise<void>,
): Promise<void> {
  const telemetry: RunTelemetry = {
    context,
    toolRegistry,
    run,
    takenAt: Date.now(),
    root: rootSpanOf(run.id),
    stretch: undefined,
    known: {},
    provider: '',
    open: new Map(),
    moved: undefined,
  }
  const metrics = context.metrics.runs
  metrics.held.inc()
  if (run.epoch === 1) {
    metrics.started.inc({ source: run.source })
    metrics.startDelaySeconds.observe(Math.max(0, telemetry.takenAt - run.created_at.getTime()) / 1000)
  }
  let thrown: unknown
  try {
    await drive(telemetry)
  } catch (error) {
    thrown = error
    throw error
  } finally {
    metrics.held.dec()
    for (const span of telemetry.open.values()) span.end({}, 'cut_off')
    const { moved, stretch } = telemetry
    stretch?.end({ 'runyard.run.status': moved?.status ?? 'running' }, failureOf(moved, thrown))
  }
}

/** Begins the span when the build of the run has been read: its name is known from then on. */
export function beginStretch(telemetry: RunTelemetry, agentName: string, modelName: string): void {
  const { context, run, root, takenAt } = telemetry
  telemetry.known = {
    'gen_ai.agent.id': run.agent_id,
    'gen_ai.agent.name': agentName,
    'gen_ai.conversation.id': run.id,
  }
  noteModel(telemetry, modelName)
  const attributes = {
    ...telemetry.known,
    'gen_ai.operation.name': 'invoke_agent',
    ...(run.parent_run_id !== null && { 'runyard.parent_run_id': run.parent_run_id }),
  }
  // the first stretch is the root of the run's trace; every later one, wherever it is, knows the root's id from the run's
  const [parent, as] = run.epoch === 1 ? [undefined, { as: root }] : [root, {}]
  const options = { ...as, startedAt: takenAt }
  telemetry.stretch = context.telemetry.span(`invoke_agent ${agentName}`, attributes, parent, options)
}

/** From now on the run asks this model. */
export function noteModel(telemetry: RunTelemetry, modelName: string): void {
  const provider = modelName.slice(0, modelName.indexOf(':'))
  telemetry.provider = provider
  telemetry.known = {
    ...telemetry.known,
    'gen_ai.provider.name': providerNames[provider] ?? provider,
    'gen_ai.request.model': modelName.slice(provider.length + 1),
  }
}

/** Reports one call of a model. */
export async function measureModelCall(telemetry: RunTelemetry, ask: () => Promise<Turn>): Promise<Turn> {
  const { context, known, provider, stretch, root } = telemetry
  const metrics = context.metrics.runs
  const attributes = { ...known, 'gen_ai.operation.name': 'chat' }
  const name = `chat ${known['gen_ai.request.model'] as string}`
  const span = context.telemetry.span(name, attributes, stretch?.place ?? root, { isClient: true })
  const seconds = metrics.modelSeconds.startTimer({ provider })
  try {
    const turn = await ask()
    const { input_tokens, output_tokens } = turn.usage
    seconds({ outcome: 'answered' })
    metrics.modelTokens.inc({ provider, direction: 'input' }, input_tokens)
    metrics.modelTokens.inc({ provider, direction: 'output' }, output_tokens)
    span.end({ 'gen_ai.usage.input_tokens': input_tokens, 'gen_ai.usage.output_tokens': output_tokens })
    return turn
  } catch (error) {
    const outcome = modelOutcomeOf(error)
    seconds({ outcome })
    span.end({}, error instanceof ModelRefused ? error.code : outcome)
    throw error
  }
}

const toolOf = ({ toolRegistry }: RunTelemetry, { tool }: CallStep): string =>
  toolRegistry.find(tool) ? tool : 'unknown'

function toolSpan(telemetry: RunTelemetry, step: CallStep, startedAt?: number): Span {
  const { context, known, run, stretch, root } = telemetry
  const tool = toolOf(telemetry, step)
  const attributes = {
    ...known,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': callIdOf(run.id, step.seq),
  }
  const options = startedAt === undefined ? {} : { startedAt }
  return context.telemetry.span(`execute_tool ${tool}`, attributes, stretch?.place ?? root, options)
}

/** An outside call begins now: its step may be older, from before a person allowed it. */
export function beginCall(telemetry: RunTelemetry, step: CallStep): void {
  telemetry.open.set(step.seq, toolSpan(telemetry, step))
}

/** A call has its outcome. */
export function endCall(telemetry: RunTelemetry, step: CallStep, outcome: Outcome): void {
  const { context, open } = telemetry
  const isFailed = 'error' in outcome
  context.metrics.runs.steps.inc({ tool: toolOf(telemetry, step), outcome: isFailed ? 'failed' : 'done' })
  const span = open.get(step.seq) ?? toolSpan(telemetry, step, Date.parse(step.started_at))
  open.delete(step.seq)
  span.end({}, isFailed ? 'tool_error' : undefined)
}

/** The change that released the run is committed. */
export function noteMove(telemetry: RunTelemetry, move: Move, steps: number): void {
  const { context, run } = telemetry
  telemetry.moved = move
  if (move.status === 'waiting') return
  const { id: run_id, team_id, agent_id } = run
  const duration_ms = Date.now() - run.created_at.getTime()
  const why = move.status === 'failed' ? { code: move.error.code } : {}
  context.metrics.runs.ended.inc({ status: move.status })
  context.log.info({ run_id, team_id, agent_id, status: move.status, ...why, steps, duration_ms }, 'run ended')
}

function modelOutcomeOf(error: unknown): ModelOutcome {
  if (error instanceof ModelRefused) return 'refused'
  return error instanceof ModelTrouble ? 'trouble' : 'cut_off'
}

/** A stopping process that gives its run back has not failed. */
function failureOf(moved: Move | undefined, thrown: unknown): string | undefined {
  if (moved?.status === 'failed') return moved.error.code
  if (thrown === undefined || thrown instanceof Yielded) return undefined
  return thrown instanceof Error ? thrown.constructor.name : 'unknown'
}
