// A run: one piece of work of an agent, durable from its start to its end.
import { part, type Sql } from '../../base/db.ts'
import type { NewRun } from '../../engine/starting/createRun.ts'
import { runColumns, runsWithAgent, type Run } from '../../engine/ledger/run.ts'
import { isVisibleTo, requireRunChange } from '../../engine/ledger/visibleRuns.ts'
import { resource } from '../../kit/resources.ts'

export {
  Run,
  runColumns,
  RunError,
  RunLimits,
  runsById,
  runsWithAgent,
  RunStatus,
  sandboxOf,
} from '../../engine/ledger/run.ts'

/** Also of a deleted agent: its runs stay readable. For a run that the caller has just made, or found before. */
export const findRun = (sql: Sql, id: string, teamId: string): Promise<Run[]> => sql<Run>`
  select ${runColumns} from ${runsWithAgent} where r.id = ${id} and r.team_id = ${teamId}`

export const run = resource(
  'run',
  (sql, id, teamId, { member_id }) => sql<Run>`
    select ${runColumns} from ${runsWithAgent}
    where r.id = ${id} and r.team_id = ${teamId} and ${isVisibleTo(member_id, part`r`)}`,
  async (sql, { id, source }, { member_id }) => {
    if (source === 'artifact') await requireRunChange(sql, id, member_id)
  },
)

declare module '../../kit/resources.ts' {
  interface Resources {
    run: Run
  }
}

/** The answer to a start, known before the row is written: what the database would return a moment later, except for its first move. */
export function newRunAnswer(made: NewRun, agentName: string): Run {
  return {
    id: made.id,
    team_id: made.teamId,
    agent_id: made.agentId,
    agent_name: agentName,
    build_id: made.buildId,
    run_number: made.runNumber,
    metadata: made.metadata,
    limits: made.limits,
    callback_url: made.callbackUrl,
    title: made.title,
    status: 'pending',
    source: made.source,
    user_id: made.userId,
    sandbox_id: made.sandboxId,
    browser_session_id: null,
    parent_run_id: made.parentRunId,
    parent_step: made.parentStep ?? null,
    retry_of_run_id: made.retryOfRunId,
    retried_from_step: made.retriedFromStep ?? null,
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
