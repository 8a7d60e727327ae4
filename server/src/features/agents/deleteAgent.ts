// Deletes an agent: nothing of it can be started any more, and its runs stay readable.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { endBuilderRunsOf } from './builder/builderRun.ts'
import { runHooks } from '../../kit/registry.ts'

export const deleteAgent = operation({
  id: 'deleteAgent',
  route: 'DELETE /v2/agents/:agent_id',
  summary: 'Delete an agent',
  description:
    'Stops its active runs and builder runs, and removes its schedules, triggers and memory. Its runs stay readable.',
  scope: 'agents:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, agent, context, sql, fail }) {
    const deleted = await sql`
      update agents set deleted_at = now(), updated_at = now()
      where id = ${agent.id} and team_id = ${team.id} and deleted_at is null returning id`
    if (deleted.length === 0) fail('not_found')
    await endBuilderRunsOf(sql, { agentId: agent.id, teamId: team.id })
    await runHooks('agentDeleted', { sql, context, teamId: team.id, agentId: agent.id })
    return { success: true as const }
  },
})
