// A run: one piece of work of an agent, durable from its start to its end.
import { part, type Sql } from '../../base/db.ts'
import type { NewRun } from '../../engine/createRun.ts'
import { statuses } from '../../engine/lifecycle.ts'
import { Usage, WaitingOn } from '../../kit/event.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const sources = ['api', 'schedule', 'case_trigger', 'mcp', 'console', 'agent', 'retry'] as const

export const RunStatus = oneOf(statuses)

export const RunError = named(
  'RunError',
  Type.Object({
    code: Type.String({ examples: ['limit_reached'] }),
    message: Type.String(),
    step: nullable(Type.Integer({ description: 'The step of the ledger at which it failed.' })),
  }),
)

export const RunLimits = named(
  'RunLimits',
  Type.Object({
    max_steps: Type.Integer({ minimum: 1 }),
    max_duration_s: Type.Number({ minimum: 1, description: 'Of active time: waiting does not count.' }),
    max_cost_usd: nullable(Type.String({ description: 'Decimal text.', examples: ['2.50'] })),
    max_tokens: nullable(Type.Integer({ minimum: 1 })),
  }),
)

export const Run = named(
  'Run',
  Type.Object({
    id: Id,
    team_id: Id,
    agent_id: Id,
    agent_name: Type.String(),
    build_id: Id,
    run_number: Type.Integer({ description: 'Unique and roughly rising; gaps are allowed.' }),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    limits: RunLimits,
    callback_url: nullable(Type.String()),
    title: Type.String(),
    status: RunStatus,
    source: oneOf(sources),
    user_id: nullable(Id),
    sandbox_id: nullable(Id),
    browser_session_id: nullable(Id),
    parent_run_id: nullable(Id),
    case_id: nullable(Id),
    case_queue_id: nullable(Id),
    case_title: nullable(Type.String()),
    message: Type.Unknown({ description: 'The trigger’s payload as it was given: text, an object, or null.' }),
    output: Type.Unknown({ description: 'Null until the run is completed.' }),
    error: nullable(RunError),
    waiting_on: nullable(WaitingOn),
    postponed_to: nullable(Time),
    usage: Usage,
    eval_summary: Type.Unknown({ description: 'Of the latest evaluation; null before there is one.' }),
    created_at: Time,
    started_at: nullable(Time),
    completed_at: nullable(Time),
    updated_at: Time,
  }),
)

export type Run = Static<typeof Run>

/** Of `runs r` with its agent: `from ${runsWithAgent} where …`. */
export const runsWithAgent = part`runs r join agents a on a.id = r.agent_id`

/** Of `runs r`: the one it has now, or the one it was given and another run has by now. */
export const sandboxOf = part`coalesce((select s.id from sandboxes s where s.run_id = r.id), r.sandbox_id)`

export const runColumns = part`
  r.id, r.team_id, r.agent_id, a.name as agent_name, r.build_id, r.run_number, r.metadata, r.limits, r.callback_url, r.title, r.status,
  r.source, r.user_id, ${sandboxOf} as sandbox_id, r.browser_session_id, r.parent_run_id, r.case_id, r.case_queue_id, r.case_title, r.message, r.output,
  r.error, r.waiting_on, r.postponed_to,
  jsonb_build_object('steps', r.steps, 'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens,
    'cost_usd', trim_scale(r.cost_usd)) as usage,
  r.eval_summary, r.created_at, r.started_at, r.completed_at, r.updated_at`

/** Also of a deleted agent: its runs stay readable. */
export const findRun = (sql: Sql, id: string, teamId: string): Promise<Run[]> => sql<Run>`
  select ${runColumns} from ${runsWithAgent} where r.id = ${id} and r.team_id = ${teamId}`

export const run = resource('run', findRun)

declare module '../../kit/resources.ts' {
  interface Resources {
    run: Run
  }
}

/** The answer to a start, known before the row is written; what the database would say of it a moment later, but for its first move. */
export function newRunAnswer(made: NewRun, agentName: string): Run {
  return {
    id: made.id,
    team_id: made.teamId,
    agent_id: made.agentId,
    agent_name: agentName,
    build_id: made.buildId,
    run_number: made.runNumber,
    metadata: made.metadata as Record<string, unknown>,
    limits: made.limits as Run['limits'],
    callback_url: made.callbackUrl,
    title: made.title,
    status: 'pending',
    source: made.source,
    user_id: made.userId,
    sandbox_id: made.sandboxId,
    browser_session_id: null,
    parent_run_id: made.parentRunId,
    case_id: made.case?.id ?? null,
    case_queue_id: made.case?.queueId ?? null,
    case_title: made.case?.title ?? null,
    message: made.message ?? null,
    output: null,
    error: null,
    waiting_on: null,
    postponed_to: null,
    usage: { steps: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    eval_summary: null,
    created_at: made.createdAt,
    started_at: null,
    completed_at: null,
    updated_at: made.createdAt,
  }
}
