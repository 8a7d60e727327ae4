// Reads one agent.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { Agent } from './agent.ts'

export const getAgent = operation({
  id: 'getAgent',
  client: 'agents.get',
  route: 'GET /v2/agents/:agent_id',
  summary: 'Get an agent',
  scope: 'agents:read',
  status: 200,
  answer: wrapped('agent', 'agent_id', Agent),
  handler: async ({ agent }) => ({ agent, agent_id: agent.id }),
})
