// Lets an agent work the cases of a queue.
import { operation } from '../../../kit/operation.ts'
import { wrapped } from '../../../kit/schema.ts'
import { CaseTrigger } from './caseTrigger.ts'
import { insertCaseTrigger, NewCaseTrigger } from './insertCaseTrigger.ts'

export const createAgentCaseTrigger = operation({
  id: 'createAgentCaseTrigger',
  client: 'caseTriggers.create',
  route: 'POST /v2/agents/:agent_id/case-triggers',
  summary: 'Make a case trigger',
  description:
    'Each case of the queue starts one run of the agent’s live build, in the order of the queue; cases that already wait start at once. ' +
    'An agent has at most one case trigger. Two triggers on one queue share its cases.',
  scope: 'agents:write',
  body: NewCaseTrigger,
  status: 201,
  answer: wrapped('case_trigger', 'trigger_id', CaseTrigger),
  errors: ['not_found', 'case_trigger_exists'],
  async handler({ team, caller, agent, body, sql }) {
    const wanted = { sql, teamId: team.id, agentId: agent.id, memberId: caller.member_id, body }
    const made = await insertCaseTrigger(wanted)
    return { case_trigger: made, trigger_id: made.id }
  },
})
