// Deactivates a rubric; what was judged by it stays as it is.
import { operation } from '../../kit/operation.ts'
import { endRubric, lockBuild } from './rubric.ts'

export const deleteEvalRubric = operation({
  id: 'deleteEvalRubric',
  client: 'evaluations.deleteRubric',
  route: 'DELETE /v2/agents/:agentId/eval-rubrics/:rubric_id',
  summary: 'Delete a rubric',
  description: 'Later runs are not judged by it. Results that exist stay, and count in scores.',
  scope: 'evals:write',
  status: 204,
  errors: ['not_found'],
  async handler({ team, agent, rubric, sql, fail }) {
    const owner = { teamId: team.id, agentId: agent.id }
    await lockBuild(sql, owner, rubric.build_id, fail)
    if (!(await endRubric(sql, owner, rubric.id))) fail('not_found')
  },
})
