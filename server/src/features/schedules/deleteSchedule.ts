// Deletes a schedule. The runs that it started continue and stay readable.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteSchedule = operation({
  id: 'deleteSchedule',
  client: 'schedules.delete',
  route: 'DELETE /v2/agents/:agent_id/schedules/:schedule_id',
  summary: 'Delete a schedule',
  description: 'Runs that it started continue.',
  scope: 'agents:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, schedule, sql, fail }) {
    const deleted = await sql`delete from schedules where id = ${schedule.id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    return { success: true as const }
  },
})
