// Sets the status of many cases of a queue.
import { operation } from '../../../kit/operation.ts'
import { oneOf, Type } from '../../../kit/schema.ts'
import { bulkAnswer, bulkStatuses } from './bulkAction.ts'
import { actInBulk, chosenCases } from './bulkRequest.ts'

export const bulkUpdateCaseStatus = operation({
  id: 'bulkUpdateCaseStatus',
  client: 'cases.bulkUpdateStatus',
  route: 'POST /v2/queues/:queue_id/cases/bulk-update-status',
  summary: 'Set the status of many cases',
  description:
    'Sets the status, whatever it was. A run that holds one of the cases is stopped first; cases that another member holds are skipped. ' +
    '`pending` also ends a postponement. More than 10,000 matching cases are changed in the background; cases that are added after the ' +
    'start are not affected.',
  scope: 'queues:write',
  body: Type.Object(
    { ...chosenCases, status: oneOf(bulkStatuses) },
    { examples: [{ all_matching: true, filters: { status: ['failed'] }, status: 'pending' }] },
  ),
  status: 200,
  answer: Type.Object(bulkAnswer),
  errors: ['invalid_request', 'not_found'],
  handler: (call) => actInBulk(call, { kind: 'update_status', status: call.body.status }),
})
