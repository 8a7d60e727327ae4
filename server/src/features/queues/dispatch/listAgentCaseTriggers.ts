// Lists the case triggers of an agent, at most one.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { CaseTrigger, triggersOfAgent } from './caseTrigger.ts'

export const listAgentCaseTriggers = operation({
  id: 'listAgentCaseTriggers',
  client: 'caseTriggers.list',
  route: 'GET /v2/agents/:agent_id/case-triggers',
  summary: 'List case triggers',
  scope: 'agents:read',
  status: 200,
  answer: Type.Object({ case_triggers: Type.Array(CaseTrigger) }),
  handler: async ({ team, agent, sql }) => ({ case_triggers: await triggersOfAgent(sql, agent.id, team.id) }),
})
