// The evaluations of a run, for its evidence bundle.
import { jsonFile, type EvidencePart } from '../../kit/evidence.ts'
import { evaluationColumns, shown, type EvaluationRow } from './evaluation.ts'

export const evaluationEvidence: EvidencePart = {
  name: 'evaluations',
  scope: 'evals:read',
  async *files({ sql, teamId, runId }) {
    const rows = await sql<EvaluationRow>`
      select ${evaluationColumns} from evaluations e where e.run_id = ${runId} and e.team_id = ${teamId} order by e.id`
    if (rows.length > 0) yield jsonFile('evaluations.json', rows.map(shown))
  },
}
