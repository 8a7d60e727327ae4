// Reads the latest evaluation of a run.
import { operation } from '../../kit/operation.ts'
import { nullable, Type } from '../../kit/schema.ts'
import { Evaluation, evaluationColumns, shown, type EvaluationRow } from './evaluation.ts'

export const getRunEvaluation = operation({
  id: 'getRunEvaluation',
  client: 'evaluations.get',
  route: 'GET /v2/agent/:agentId/runs/:runId/evaluation',
  summary: 'Get the evaluation of a run',
  description:
    'The latest one; `data` is null while the run has none. A run is evaluated soon after each of its ends, and when somebody asks.',
  scope: 'evals:read',
  status: 200,
  answer: Type.Object({ data: nullable(Evaluation) }),
  async handler({ team, run, sql }) {
    const [latest] = await sql<EvaluationRow>`
      select ${evaluationColumns} from evaluations e where e.run_id = ${run.id} and e.team_id = ${team.id} order by e.id desc limit 1`
    return { data: latest ? shown(latest) : null }
  },
})
