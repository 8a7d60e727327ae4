// Asks for a new evaluation of a run that has ended.
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { monthSpent } from '../../engine/counting/monthSpent.ts'
import type { Context } from '../../kit/context.ts'
import { operation } from '../../kit/operation.ts'
import { Id, oneOf, Type } from '../../kit/schema.ts'
import { judgeOf } from './judgeModel.ts'
import { rubricsOf } from './rubric.ts'

export const evaluateRun = operation({
  id: 'evaluateRun',
  client: 'evaluations.evaluate',
  route: 'POST /v2/agent/:agentId/runs/:runId/evaluation',
  summary: 'Evaluate a run again',
  description:
    'Uses the rubrics that are active for its build now. If a requested evaluation is in progress, that one is returned. getRunEvaluation shows its state.',
  scope: 'evals:write',
  status: 202,
  answer: Type.Object({ evaluation_id: Id, run_id: Id, status: oneOf(['in_progress']) }),
  errors: ['conflict', 'entitlement_exceeded', 'not_found'],
  async handler({ team, run, context, sql, fail }) {
    // locked, so that the second of two requests at once finds the evaluation of the first
    const [ended] = await sql<{ completed_at: Date | null; build_id: string; is_erased: boolean }>`
      select completed_at, build_id, log_erased_at is not null as is_erased from runs
      where id = ${run.id} and team_id = ${team.id} for no key update`
    if (!ended) return fail('not_found')
    if (ended.completed_at === null) {
      return fail('conflict', 'The run has not ended. It is evaluated by itself when it does.')
    }
    if (ended.is_erased) return fail('conflict', 'The log of the run is erased, so there is nothing left to evaluate.')
    const answer = (id: string) => ({ evaluation_id: id, run_id: run.id, status: 'in_progress' as const })
    const [open] = await sql<{ id: string }>`
      select id from evaluations
      where run_id = ${run.id} and team_id = ${team.id} and status = 'in_progress' and source = 'request' limit 1`
    if (open) return answer(open.id)
    const spent = await monthSpent(sql, team.id)
    if (spent !== undefined && (await takesJudge(context, sql, team.id, ended.build_id))) {
      return fail('entitlement_exceeded', spent)
    }
    const id = newId()
    await sql`
      insert into evaluations (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at)
      values (${id}, ${team.id}, ${run.agent_id}, ${ended.build_id}, ${run.id}, 'request', 'in_progress', ${ended.completed_at})`
    await sql`insert into runs_to_evaluate (run_id, team_id, evaluation_id) values (${run.id}, ${team.id}, ${id})`
    return answer(id)
  },
})

/** What the service checks by itself costs nothing. */
async function takesJudge(context: Context, sql: Sql, teamId: string, buildId: string): Promise<boolean> {
  const rubrics = await rubricsOf(sql, { teamId }, buildId)
  return rubrics.length > 0 && (await judgeOf(context, teamId, sql)) !== undefined
}
