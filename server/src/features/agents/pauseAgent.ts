// Pauses an agent: no run of its live build starts until somebody resumes it.
import { operation } from '../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../kit/schema.ts'
import { Agent, findAgent } from './agent.ts'
import { markPaused } from './agentPauses.ts'

export const pauseAgent = operation({
  id: 'pauseAgent',
  client: 'agents.pause',
  route: 'POST /v2/agents/:agent_id/pause',
  summary: 'Pause an agent',
  description:
    'From then on no run of its live build starts: callers get `agent_paused` (409), due times of schedules are skipped, and what came in ' +
    'for triggers and queues waits. Runs under way continue, and runs of a draft can be started. Pausing a paused agent changes nothing.',
  scope: 'agents:write',
  body: Type.Object(
    {
      reason: Type.Optional(
        nullable(Type.String({ maxLength: 500, description: 'Shown to whoever is refused. `null` for none.' })),
      ),
    },
    { examples: [{ reason: 'It pays invoices twice.' }] },
  ),
  status: 200,
  answer: wrapped('agent', 'agent_id', Agent),
  errors: ['not_found'],
  async handler({ team, caller, agent, body, sql, fail }) {
    const reason = body.reason ?? null
    await markPaused(sql, { teamId: team.id, agentId: agent.id, reason, by: caller.member_id, incidentId: null })
    const [paused] = await findAgent(sql, agent.id, team.id)
    if (!paused) return fail('not_found')
    return { agent: paused, agent_id: paused.id }
  },
})
