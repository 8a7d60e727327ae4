// Lists what the runs of a build are judged by: the team's own rubrics, and what the service checks by itself.
import type { Sql } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { named, oneOf, Type, type Static } from '../../kit/schema.ts'
import { platformRubrics } from './platformRubrics.ts'
import { severities } from '../../kit/states.ts'
import { buildOf, Rubric, rubricsOf } from './rubric.ts'

const PlatformRubric = named(
  'PlatformRubric',
  Type.Object({
    key: Type.String({ description: 'Its flag in results.', examples: ['ended_by_itself'] }),
    label: Type.String(),
    description: Type.String(),
    severity: oneOf(severities),
  }),
)

export const RubricsAnswer = Type.Object({
  rubrics: Type.Array(Rubric),
  platform_rubrics: Type.Array(PlatformRubric),
})

export const rubricsAnswer = async (
  sql: Sql,
  teamId: string,
  buildId: string | undefined,
): Promise<Static<typeof RubricsAnswer>> => ({
  rubrics: buildId === undefined ? [] : await rubricsOf(sql, { teamId }, buildId),
  platform_rubrics: platformRubrics.map(({ key, label, description, severity }) => ({
    key,
    label,
    description,
    severity,
  })),
})

export const getEvalRubrics = operation({
  id: 'getEvalRubrics',
  client: 'evaluations.listRubrics',
  route: 'GET /v2/agents/:agentId/eval-rubrics',
  summary: 'List the rubrics of a build',
  description: 'The active rubrics; empty for a build of another agent.',
  scope: 'evals:read',
  query: Type.Object({
    build_id: Type.Optional(Type.String({ description: 'One of the agent’s builds; the live one unless given.' })),
  }),
  status: 200,
  answer: RubricsAnswer,
  async handler({ team, agent, query, sql }) {
    const buildId = await buildOf(sql, { teamId: team.id, agentId: agent.id }, query.build_id ?? null)
    return rubricsAnswer(sql, team.id, buildId)
  },
})
