// Reads one case trigger.
import { operation } from '../../../kit/operation.ts'
import { wrapped } from '../../../kit/schema.ts'
import { CaseTrigger } from './caseTrigger.ts'

export const getAgentCaseTrigger = operation({
  id: 'getAgentCaseTrigger',
  client: 'caseTriggers.get',
  route: 'GET /v2/agents/:agent_id/case-triggers/:case_trigger_id',
  summary: 'Get a case trigger',
  scope: 'agents:read',
  status: 200,
  answer: wrapped('case_trigger', 'trigger_id', CaseTrigger),
  handler: async ({ case_trigger }) => ({ case_trigger, trigger_id: case_trigger.id }),
})
