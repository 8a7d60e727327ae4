// Lists the bulk actions of a queue that were left to the background, newest first.
import { part } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../../kit/paging.ts'
import { Type } from '../../../kit/schema.ts'
import { BulkAction, bulkActionColumns } from './bulkAction.ts'
import { retentionDays } from './sweepBulkActions.job.ts'

export const listBulkActions = operation({
  id: 'listBulkActions',
  client: 'cases.listBulkActions',
  route: 'GET /v2/queues/:queue_id/bulk-actions',
  summary: 'List the bulk actions of a queue',
  description: `Newest first: those that were left to the background, until ${retentionDays} days after their end.`,
  scope: 'queues:read',
  query: Type.Object(paging(20, 100)),
  status: 200,
  answer: pageOf('bulk_actions', BulkAction),
  async handler({ team, queue, query, sql }) {
    const from = part`bulk_actions where queue_id = ${queue.id} and team_id = ${team.id}`
    const list = { columns: bulkActionColumns, from, order: part`created_at desc, id desc` }
    const { rows, ...page } = await readPage<BulkAction>(sql, list, query)
    return { bulk_actions: rows, ...page }
  },
})
