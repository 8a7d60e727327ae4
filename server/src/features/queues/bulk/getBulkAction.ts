// Reads how far a bulk action has come.
import { operation } from '../../../kit/operation.ts'
import { wrapped } from '../../../kit/schema.ts'
import { BulkAction } from './bulkAction.ts'
import { retentionDays } from './sweepBulkActions.job.ts'

export const getBulkAction = operation({
  id: 'getBulkAction',
  client: 'cases.getBulkAction',
  route: 'GET /v2/bulk-actions/:bulk_action_id',
  summary: 'Get a bulk action',
  description: `The counts are those of the cases done so far. A bulk action is deleted with its queue, or ${retentionDays} days after its end.`,
  scope: 'queues:read',
  status: 200,
  answer: wrapped('bulk_action', 'bulk_action_id', BulkAction),
  handler: async ({ bulk_action }) => ({ bulk_action, bulk_action_id: bulk_action.id }),
})
