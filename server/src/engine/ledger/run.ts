// A run as the API shows it, and the select list that reads it: for every feature that shows runs.
import { part, type Part, type Sql } from '../../base/db.ts'
import { Usage, WaitingOn } from '../../kit/event.ts'
import {
  bytesOf,
  listed,
  longJson,
  markTruncated,
  truncatedColumn,
  truncatedField,
  withinPage,
} from '../../kit/pageBytes.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { runSources, runStatuses } from '../../kit/states.ts'
import { listedMessage } from './largeTexts.ts'

export const RunStatus = oneOf(runStatuses)

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
    source: oneOf(runSources),
    user_id: nullable(Id),
    sandbox_id: nullable(Id),
    browser_session_id: nullable(Id),
    parent_run_id: nullable(Id),
    parent_step: nullable(
      Type.Integer({ description: 'The step of that run which started this one, if it is known.' }),
    ),
    retry_of_run_id: nullable(Type.Unsafe<string>({ ...Id, description: 'The run that this one retries.' })),
    retried_from_step: nullable(
      Type.Integer({ description: 'The step from which the retry was asked to begin; null: from the start.' }),
    ),
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
    truncated: truncatedField,
  }),
)

export type Run = Static<typeof Run>

/** SQL for `runs r` with its agent: `from ${runsWithAgent} where …`. */
export const runsWithAgent = part`runs r join agents a on a.id = r.agent_id`

/** SQL over `runs r`: the sandbox that it has now, or the one that it was given and another run has by now. */
export const sandboxOf = part`coalesce((select s.id from sandboxes s where s.run_id = r.id), r.sandbox_id)`

const columnsWith = (message: Part, output: Part): Part => part`
  r.id, r.team_id, r.agent_id, a.name as agent_name, r.build_id, r.run_number, r.metadata, r.limits, r.callback_url, r.title, r.status,
  r.source, r.user_id, ${sandboxOf} as sandbox_id, r.browser_session_id, r.parent_run_id, r.parent_step, r.retry_of_run_id, r.retried_from_step, r.case_id, r.case_queue_id, r.case_title, ${message} as message,
  ${output} as output,
  r.error, r.waiting_on, r.postponed_to,
  jsonb_build_object('steps', r.steps, 'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens,
    'cost_usd', trim_scale(r.cost_usd)) as usage,
  r.eval_summary, r.created_at, r.started_at, r.completed_at, r.updated_at`

const longColumns = [listedMessage, longJson(part`r.output`)] as const

/** The columns of one run, which is always whole. */
export const runColumns = columnsWith(longColumns[0].whole, longColumns[1].whole)

/** The columns of a run in a page of a list. */
const listedColumns = part`
  ${columnsWith(listed(longColumns[0]), listed(longColumns[1]))}, ${truncatedColumn([...longColumns])}`

/** Runs in the order of an array of ids. Each is looked up by its id, whatever number of rows the planner expects. */
export async function runsById(sql: Sql, teamId: string, ids: Part): Promise<Run[]> {
  const sizes = part`
    select wanted.id, wanted.place, (
      select ${bytesOf([...longColumns])} from runs r where r.id = wanted.id and r.team_id = ${teamId}) as bytes
    from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)`
  const rows = await sql<Run>`
    select one.* from ${withinPage(sizes)} page, lateral (
      select ${listedColumns} from ${runsWithAgent} where r.id = page.id and r.team_id = ${teamId} limit 1
    ) one order by page.place`
  return markTruncated(rows)
}
