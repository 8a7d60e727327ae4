// Sets the priority of many cases of a queue.
import { operation } from '../../../kit/operation.ts'
import { oneOf, Type } from '../../../kit/schema.ts'
import { bulkAnswer } from './bulkAction.ts'
import { actInBulk, chosenCases } from './bulkRequest.ts'
import { priorities } from '../../../kit/states.ts'

export const bulkUpdateCasePriority = operation({
  id: 'bulkUpdateCasePriority',
  client: 'cases.bulkUpdatePriority',
  route: 'POST /v2/queues/:queue_id/cases/bulk-update-priority',
  summary: 'Set the priority of many cases',
  description:
    'Sets the priority, whatever the status is and whoever holds the case. More than 10,000 matching cases are changed in the background; ' +
    'cases that are added after the start are not affected.',
  scope: 'queues:write',
  body: Type.Object(
    { ...chosenCases, priority: oneOf(priorities) },
    { examples: [{ all_matching: true, search: 'invoice', priority: 'high' }] },
  ),
  status: 200,
  answer: Type.Object(bulkAnswer),
  errors: ['invalid_request', 'not_found'],
  handler: (call) => actInBulk(call, { kind: 'update_priority', priority: call.body.priority }),
})
