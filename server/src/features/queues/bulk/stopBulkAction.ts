// Stops a bulk action: what it has done stays done, and the rest of its cases stay as they are.
import { operation } from '../../../kit/operation.ts'
import { wrapped } from '../../../kit/schema.ts'
import { BulkAction, bulkActionColumns } from './bulkAction.ts'

export const stopBulkAction = operation({
  id: 'stopBulkAction',
  client: 'cases.stopBulkAction',
  route: 'POST /v2/bulk-actions/:bulk_action_id/stop',
  summary: 'Stop a bulk action',
  description:
    'Cases that were changed by then stay changed; the others stay as they are. Waits for the step under way, so the counts of the answer ' +
    'are final. Refused with 409 if the action is over. Send the same bulk operation again to continue with the rest.',
  scope: 'queues:write',
  status: 200,
  answer: wrapped('bulk_action', 'bulk_action_id', BulkAction),
  errors: ['conflict', 'not_found'],
  async handler({ team, bulk_action, sql, fail }) {
    const { id } = bulk_action
    // the job has the row locked while it changes cases, so this waits for that step and no other begins
    const [stopped] = await sql<BulkAction>`
      update bulk_actions set status = 'stopped', completed_at = now()
      where id = ${id} and team_id = ${team.id} and status = 'running' returning ${bulkActionColumns}`
    if (stopped) return { bulk_action: stopped, bulk_action_id: id }
    return fail('conflict', 'This bulk action is over already. What it did stays done.')
  },
})
