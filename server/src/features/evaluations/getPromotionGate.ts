// Reads the gate before the promotions of an agent's builds, and who bypassed it with which reason.
import { operation } from '../../kit/operation.ts'
import { GateAnswer, readGate } from './promotionGate.ts'

export const getPromotionGate = operation({
  id: 'getPromotionGate',
  client: 'evaluations.getPromotionGate',
  route: 'GET /v2/agents/:agent_id/promotion-gate',
  summary: 'Get the promotion gate of an agent',
  description: '`promotion_gate` is null while the agent has none: then every build may become live.',
  scope: 'evals:read',
  status: 200,
  answer: GateAnswer,
  handler: ({ team, agent, sql }) => readGate(sql, team.id, agent.id),
})
