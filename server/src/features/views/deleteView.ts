// Deletes a saved view.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteView = operation({
  id: 'deleteView',
  client: 'views.delete',
  route: 'DELETE /v2/views/:view_id',
  summary: 'Delete a saved view',
  scope: 'team:read',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, view, sql, fail }) {
    const deleted = await sql`delete from saved_views where id = ${view.id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    return { success: true as const }
  },
})
