// Changes an agent's name, description or whether it has a memory; what it does is changed by its builds.
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { spelled } from '../../kit/spellings.ts'
import { Agent, agentColumns, AgentDescription, AgentName, MemoryEnabled } from './agent.ts'

export const updateAgent = operation({
  id: 'updateAgent',
  client: 'agents.update',
  route: 'PATCH /v2/agents/:agent_id',
  summary: 'Change an agent',
  description: 'What the agent does is changed by making a revision and promoting it.',
  scope: 'agents:write',
  body: Type.Object({
    name: Type.Optional(AgentName),
    description: Type.Optional(AgentDescription),
    memory_enabled: spelled(Type.Optional(MemoryEnabled), { names: ['agentic_memory_enabled'] }),
  }),
  status: 200,
  answer: wrapped('agent', 'agent_id', Agent),
  errors: ['not_found'],
  async handler({ team, agent, body, sql, fail }) {
    const [changed] = await sql<Agent>`
      update agents set
        name = coalesce(${body.name ?? null}, name),
        description = case when ${'description' in body} then ${body.description ?? null} else description end,
        memory_enabled = coalesce(${body.memory_enabled ?? null}, memory_enabled),
        updated_at = now()
      where id = ${agent.id} and team_id = ${team.id} and deleted_at is null
      returning ${agentColumns}`
    if (!changed) return fail('not_found')
    return { agent: changed, agent_id: changed.id }
  },
})
