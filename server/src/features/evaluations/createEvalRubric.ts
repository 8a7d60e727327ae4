// Adds a rubric to a build: its runs are judged by it from now on.
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { BuildIdOfRubrics, insertRubric, lockBuild, NewRubric, Rubric, rubricsMax, rubricsOf } from './rubric.ts'

export const createEvalRubric = operation({
  id: 'createEvalRubric',
  client: 'evaluations.createRubric',
  route: 'POST /v2/agents/:agentId/eval-rubrics',
  summary: 'Add a rubric',
  description:
    'Runs of the build that end from now on are judged by it too, and copies of the build have it as well. A build has at most five ' +
    'rubrics.',
  scope: 'evals:write',
  body: Type.Object(
    { ...NewRubric.properties, build_id: BuildIdOfRubrics },
    {
      examples: [
        {
          title: 'Stays polite',
          description: 'Every message to the customer is friendly, and none blames them for the problem.',
          severity: 'medium',
        },
      ],
    },
  ),
  status: 200,
  answer: wrapped('rubric', 'rubric_id', Rubric),
  errors: ['not_found', 'rubric_limit'],
  async handler({ team, agent, body, sql, fail }) {
    const owner = { teamId: team.id, agentId: agent.id }
    const buildId = await lockBuild(sql, owner, body.build_id, fail)
    const inForce = await rubricsOf(sql, owner, buildId)
    if (inForce.length >= rubricsMax) return fail('rubric_limit')
    const rubric = await insertRubric(sql, owner, buildId, {
      title: body.title,
      description: body.description,
      severity: body.severity ?? 'medium',
      sortOrder: body.sort_order ?? Math.max(-1, ...inForce.map(({ sort_order }) => sort_order)) + 1,
      replaces: null,
    })
    return { rubric, rubric_id: rubric.id }
  },
})
