// Lists how the runs of each agent were evaluated, for a screen that has all agents side by side.
import { operation } from '../../kit/operation.ts'
import { Id, instant, named, nullable, Type } from '../../kit/schema.ts'
import { rowsMax } from './answer.ts'
import { countEvaluations, figuresOfEvaluations } from './evaluations.ts'
import { namesOf } from './teamAgents.ts'

const hourMs = 3_600_000
const usualMs = 30 * 24 * hourMs

const count = Type.Integer({ minimum: 0 })

const AgentScore = named(
  'AgentScore',
  Type.Object({
    agent_id: Id,
    agent_name: Type.String(),
    evaluated: count,
    passed: Type.Integer({ minimum: 0, description: 'Runs in which every check that applies passed.' }),
    with_issues: count,
    pass_rate: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    critical: Type.Integer({ minimum: 0, description: 'How many checks of this severity did not pass.' }),
    medium: count,
    low: count,
  }),
)

export const listAgentScores = operation({
  id: 'listAgentScores',
  client: 'teams.agentScores',
  route: 'GET /v2/teams/:teamId/agent-scores',
  summary: 'List scores of agents',
  description: `Each run counts once, by its latest finished evaluation, in the hour in which it ended. The agents with most runs first, at most ${rowsMax}.`,
  scope: 'evals:read',
  query: Type.Object({ since: Type.Optional(instant('Whole hours from then on; 30 days ago unless given.')) }),
  status: 200,
  answer: Type.Object({ agent_scores: Type.Array(AgentScore), team_id: Id }),
  async handler({ team, query, context, sql }) {
    const now = context.clock.now()
    const since = query.since === undefined ? new Date(now.getTime() - usualMs) : new Date(query.since)
    const span = { since, until: new Date(now.getTime() + hourMs) }
    const counted = await countEvaluations(sql, { teamId: team.id, agentId: undefined, by: 'agent', span })
    const names = await namesOf(sql, team.id, [...new Set(counted.map(({ key }) => key))])
    const agent_scores = [...Map.groupBy(counted, ({ key }) => key)]
      .map(([agent_id, rows]) => ({
        agent_id,
        agent_name: names.get(agent_id) ?? agent_id,
        ...figuresOfEvaluations(rows),
      }))
      .filter(({ evaluated }) => evaluated > 0)
      .toSorted((one, other) => other.evaluated - one.evaluated || (one.agent_name < other.agent_name ? -1 : 1))
      .slice(0, rowsMax)
    return { agent_scores, team_id: team.id }
  },
})
