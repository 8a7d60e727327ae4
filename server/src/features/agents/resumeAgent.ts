// Resumes a paused agent. What waited for it in triggers and queues starts; due times that were skipped are not made up for.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { Agent, findAgent } from './agent.ts'

export const resumeAgent = operation({
  id: 'resumeAgent',
  client: 'agents.resume',
  route: 'POST /v2/agents/:agent_id/resume',
  summary: 'Resume an agent',
  description:
    'Runs of its live build start again, and what came in for its triggers and queues while it was paused starts now. Due times of ' +
    'schedules that were skipped are not made up for. Resuming an agent that is not paused changes nothing.',
  scope: 'agents:write',
  status: 200,
  answer: wrapped('agent', 'agent_id', Agent),
  errors: ['not_found'],
  async handler({ team, agent, sql, fail }) {
    await sql`
      update agents set paused_at = null, paused_reason = null, paused_by = null, paused_by_incident_id = null, updated_at = now()
      where id = ${agent.id} and team_id = ${team.id} and deleted_at is null and paused_at is not null`
    const [resumed] = await findAgent(sql, agent.id, team.id)
    if (!resumed) return fail('not_found')
    return { agent: resumed, agent_id: resumed.id }
  },
})
