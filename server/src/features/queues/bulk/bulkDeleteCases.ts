// Deletes many cases of a queue, and stops the runs that hold them.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { bulkAnswer } from './bulkAction.ts'
import { actInBulk, chosenCases } from './bulkRequest.ts'

export const bulkDeleteCases = operation({
  id: 'bulkDeleteCases',
  client: 'cases.bulkDelete',
  route: 'POST /v2/queues/:queue_id/cases/bulk-delete',
  summary: 'Delete many cases',
  description:
    'Deletes the cases with their timelines, whoever holds them. Runs that hold one of them are stopped; the runs stay. More than 10,000 ' +
    'matching cases are deleted in the background; cases that are added after the start are not affected.',
  scope: 'queues:write',
  body: Type.Object(chosenCases, { examples: [{ all_matching: true, filters: { status: ['completed'] } }] }),
  status: 200,
  answer: Type.Object(bulkAnswer),
  errors: ['invalid_request', 'not_found'],
  tool: false,
  handler: (call) => actInBulk(call, { kind: 'delete' }),
})
