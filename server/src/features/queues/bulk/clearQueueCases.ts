// Empties a queue: all its cases go, and the runs that hold them are stopped.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { bulkAnswer } from './bulkAction.ts'
import { actOnMatching } from './bulkRequest.ts'
import { caseFilterFrom } from '../lists/caseFilter.ts'

const { deleted_count, stopped_run_ids, bulk_action_id, status } = bulkAnswer

export const clearQueueCases = operation({
  id: 'clearQueueCases',
  client: 'cases.clear',
  route: 'DELETE /v2/queues/:queue_id/cases',
  summary: 'Delete all cases of a queue',
  description:
    'The queue stays, with its labels and case triggers. More than 10,000 cases are deleted in the background; cases that are added after ' +
    'the start stay.',
  scope: 'queues:write',
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), deleted_count, stopped_run_ids, bulk_action_id, status }),
  errors: ['invalid_request', 'not_found'],
  tool: false,
  async handler(call) {
    const all = await caseFilterFrom(call.sql, call.queue, {})
    const done = await actOnMatching(call, { kind: 'delete' }, all!)
    return {
      success: true as const,
      deleted_count: done.deleted_count,
      stopped_run_ids: done.stopped_run_ids,
      bulk_action_id: done.bulk_action_id,
      status: done.status,
    }
  },
})
