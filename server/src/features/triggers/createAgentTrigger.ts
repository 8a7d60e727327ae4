// Makes a trigger for an agent.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { insertTrigger, NewTrigger } from './insertTrigger.ts'
import { shown, Trigger } from './trigger.ts'

export const createAgentTrigger = operation({
  id: 'createAgentTrigger',
  client: 'triggers.create',
  route: 'POST /v2/agents/:agent_id/triggers',
  summary: 'Make a trigger',
  description:
    'Starts a run of the agent’s live build for each thing that happens: a request to a URL of its own (`webhook`), an event of this team ' +
    '(`event`), an item that is new in the answer of a connection’s tool (`poll`), or a mail (`email`). Each thing starts one run, whatever ' +
    'crashes or is sent twice. An agent has at most 100 triggers, and a team 100 for events. For cases of a queue, make a case trigger instead.',
  scope: 'agents:write',
  body: NewTrigger,
  status: 201,
  answer: wrapped('trigger', 'trigger_id', Trigger),
  errors: ['invalid_request', 'not_found', 'conflict', 'insufficient_scope'],
  async handler({ team, caller, agent, body, context, sql }) {
    const made = await insertTrigger({ sql, context, teamId: team.id, agentId: agent.id, starter: caller, body })
    return { trigger: shown(context, caller, made), trigger_id: made.id }
  },
})
