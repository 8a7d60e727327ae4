// Cancels a human request: the call that waits for it fails, and the run continues.
import { cancelRequest } from '../../engine/requests/humanRequests.ts'
import { operation } from '../../kit/operation.ts'
import { HumanRequestAnswer, requestAnswer } from './humanRequest.ts'

export const cancelHumanRequest = operation({
  id: 'cancelHumanRequest',
  client: 'humanRequests.cancel',
  route: 'POST /v2/runs/:run_id/human-requests/:request_id/cancel',
  summary: 'Cancel a human request',
  description:
    'The call that waits for it gets an error that says so, and the run continues. There is no event for it.',
  scope: 'runs:write',
  status: 200,
  answer: HumanRequestAnswer,
  errors: ['human_request_closed'],
  async handler({ team, request, sql, fail }) {
    const cancelled = await cancelRequest(sql, request)
    if (!cancelled) return fail('human_request_closed')
    return requestAnswer(sql, cancelled, team.id)
  },
})
