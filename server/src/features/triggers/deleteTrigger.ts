// Deletes a trigger with its deliveries. The runs that it started continue and stay readable.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteTrigger = operation({
  id: 'deleteTrigger',
  client: 'triggers.delete',
  route: 'DELETE /v2/triggers/:trigger_id',
  summary: 'Delete a trigger',
  description:
    'Its URL or mail address takes nothing any more, and what waits is not started. Runs that it started continue.',
  scope: 'agents:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, trigger: { id }, sql, fail }) {
    const deleted = await sql`delete from triggers where id = ${id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    // what is written at this moment is erased by those who find it without its trigger
    await sql`delete from trigger_deliveries where trigger_id = ${id} and team_id = ${team.id}`
    await sql`delete from trigger_keys where trigger_id = ${id} and team_id = ${team.id}`
    return { success: true as const }
  },
})
