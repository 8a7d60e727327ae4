// Deletes a case trigger. The runs that it started continue.
import { operation } from '../../../kit/operation.ts'
import { Success } from '../../../kit/schema.ts'

export const deleteAgentCaseTrigger = operation({
  id: 'deleteAgentCaseTrigger',
  client: 'caseTriggers.delete',
  route: 'DELETE /v2/agents/:agent_id/case-triggers/:case_trigger_id',
  summary: 'Delete a case trigger',
  description: 'The agent gets no more cases. Runs in progress continue with theirs.',
  scope: 'agents:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, case_trigger: { id }, sql, fail }) {
    const deleted = await sql`delete from case_triggers where id = ${id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    return { success: true as const }
  },
})
