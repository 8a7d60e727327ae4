// Deletes an agent: nothing of it can be started any more, and its runs stay readable.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { removeAgent } from './removeAgent.ts'

export const deleteAgent = operation({
  id: 'deleteAgent',
  client: 'agents.delete',
  route: 'DELETE /v2/agents/:agent_id',
  summary: 'Delete an agent',
  description:
    'Stops its active runs and builder runs, and removes its schedules, triggers and memory. Its runs stay readable.',
  scope: 'agents:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, agent, context, sql, fail }) {
    if (!(await removeAgent({ sql, context, teamId: team.id, agentId: agent.id }))) fail('not_found')
    return { success: true as const }
  },
})
