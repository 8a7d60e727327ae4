// Lists the agents that would share the cases of a queue with this one.
import { idForFilter } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { agentsWithTrigger, conflictFields, triggersOfAgent } from './caseTrigger.ts'

export const previewAgentCaseTriggerConflicts = operation({
  id: 'previewAgentCaseTriggerConflicts',
  client: 'caseTriggers.previewConflicts',
  route: 'GET /v2/agents/:agent_id/case-triggers/conflict-preview',
  summary: 'Preview conflicts of a case trigger',
  description: 'Before you make or change a trigger: which other agents have an enabled trigger on the same queue.',
  scope: 'agents:read',
  query: Type.Object({
    case_queue_id: Type.Optional(Type.String({ description: 'Absent: the queue that the agent’s trigger has now.' })),
  }),
  status: 200,
  answer: Type.Object(conflictFields, { additionalProperties: false }),
  async handler({ team, agent, query, sql }) {
    const queueId = query.case_queue_id ?? (await triggersOfAgent(sql, agent.id, team.id))[0]?.case_queue_id
    if (queueId === undefined) return { has_conflict: false, conflicting_agents: [] }
    // used as a filter: a queue that does not exist has no agents
    const agents = await agentsWithTrigger(sql, { teamId: team.id, queueId: idForFilter(queueId), besides: agent.id })
    return { has_conflict: agents.length > 0, conflicting_agents: agents }
  },
})
