// What an operator sees of a run while this process holds it: spans of its trace, counts for /metrics, one log line when it has ended.
import { ModelRefused, ModelTrouble, type Turn } from '../../drivers/model/model.ts'
import { placeOf, type Attributes, type Span } from '../../base/telemetry.ts'
import type { Context } from '../../kit/context.ts'
import type { ModelOutcome } from '../../kit/runMetrics.ts'
import type { Outcome } from '../../kit/tool.ts'
import { callIdOf, type Move, type Step } from '../ledger/change.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import type { ToolRegistry } from '../builds/toolRegistry.ts'
import { Yielded } from './leaving.ts'

export interface Watch {
  /** Its build is read: from here on there is a name for what is seen. */
  begin(agentName: string, modelName: string): void
  /** Around one call of a model. */
  asking(ask: () => Promise<Turn>): Promise<Turn>
  /** An outside call begins now: its step may be older, from before a person allowed it. */
  calling(step: Step): void
  /** A call has its outcome. */
  called(step: Step, outcome: Outcome): void
  /** The change that let go of the run is committed. */
  moved(move: Move, steps: number): void
}

interface Watching {
  context: Context
  toolRegistry: ToolRegistry
}

/** As the GenAI conventions name them, where they have a name for them. */
const providerNames: Record<string, string> = { builtin: 'runyard', google: 'gcp.gemini' }

/** The stretch of a run from its claim until this process lets go of it, however that comes. */
export async function watched(
  { context, toolRegistry }: Watching,
  run: ClaimedRun,
  drive: (watch: Watch) => Promise<void>,
): Promise<void> {
  const { telemetry, log } = context
  const metrics = context.metrics.runs
  const takenAt = Date.now()
  const root = placeOf(run.id)
  const open = new Map<number, Span>()
  let provider = ''
  let known: Attributes = {}
  let stretch: Span | undefined
  let moved: Move | undefined

  const toolOf = ({ tool }: Step): string => (tool !== null && toolRegistry.find(tool) ? tool : 'unknown')

  function toolSpan(step: Step, startedAt?: number): Span {
    const attributes = {
      ...known,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolOf(step),
      'gen_ai.tool.call.id': callIdOf(run.id, step.seq),
    }
    const options = startedAt === undefined ? {} : { startedAt }
    return telemetry.span(`execute_tool ${toolOf(step)}`, attributes, stretch?.place ?? root, options)
  }

  const watch: Watch = {
    begin(agentName, modelName) {
      provider = modelName.slice(0, modelName.indexOf(':'))
      known = {
        'gen_ai.provider.name': providerNames[provider] ?? provider,
        'gen_ai.request.model': modelName.slice(provider.length + 1),
        'gen_ai.agent.id': run.agent_id,
        'gen_ai.agent.name': agentName,
        'gen_ai.conversation.id': run.id,
      }
      const attributes = {
        ...known,
        'gen_ai.operation.name': 'invoke_agent',
        ...(run.parent_run_id !== null && { 'runyard.parent_run_id': run.parent_run_id }),
      }
      // the first stretch is the root of the run's trace; every later one, wherever it is, knows the root's id from the run's
      const [parent, as] = run.epoch === 1 ? [undefined, { as: root }] : [root, {}]
      stretch = telemetry.span(`invoke_agent ${agentName}`, attributes, parent, { ...as, startedAt: takenAt })
    },
    async asking(ask) {
      const attributes = { ...known, 'gen_ai.operation.name': 'chat' }
      const name = `chat ${known['gen_ai.request.model'] as string}`
      const span = telemetry.span(name, attributes, stretch?.place ?? root, { isClient: true })
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
    },
    calling: (step) => void open.set(step.seq, toolSpan(step)),
    called(step, outcome) {
      const isFailed = 'error' in outcome
      metrics.steps.inc({ tool: toolOf(step), outcome: isFailed ? 'failed' : 'done' })
      const span = open.get(step.seq) ?? toolSpan(step, Date.parse(step.started_at))
      open.delete(step.seq)
      span.end({}, isFailed ? 'tool_error' : undefined)
    },
    moved(move, steps) {
      moved = move
      if (move.status === 'waiting') return
      const { id: run_id, team_id, agent_id } = run
      const duration_ms = Date.now() - run.created_at.getTime()
      const why = move.status === 'failed' ? { code: move.error.code } : {}
      metrics.ended.inc({ status: move.status })
      log.info({ run_id, team_id, agent_id, status: move.status, ...why, steps, duration_ms }, 'run ended')
    },
  }

  metrics.held.inc()
  if (run.epoch === 1) {
    metrics.started.inc({ source: run.source })
    metrics.startDelaySeconds.observe(Math.max(0, takenAt - run.created_at.getTime()) / 1000)
  }
  let thrown: unknown
  try {
    await drive(watch)
  } catch (error) {
    thrown = error
    throw error
  } finally {
    metrics.held.dec()
    for (const span of open.values()) span.end({}, 'cut_off')
    stretch?.end({ 'runyard.run.status': moved?.status ?? 'running' }, failureOf(moved, thrown))
  }
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
