// Takes the caller's approval back while another person's is still missing. The request stays open.
import { requestById, takeBackApproval } from '../../engine/requests/humanRequests.ts'
import { operation } from '../../kit/operation.ts'
import { HumanRequestAnswer, requestAnswer } from './humanRequest.ts'

export const withdrawApproval = operation({
  id: 'withdrawApproval',
  client: 'humanRequests.withdraw',
  route: 'POST /v2/runs/:run_id/human-requests/:request_id/withdraw',
  summary: 'Take your approval back',
  description:
    'For a request with `approvals_needed` 2 that one person has approved: that person takes the approval back, and two people must approve ' +
    'again. When the second has approved, the request is closed and nothing can be taken back. To end the request instead, reject it.',
  scope: 'approvals:write',
  status: 200,
  answer: HumanRequestAnswer,
  errors: ['conflict', 'human_request_closed'],
  async handler({ team, caller, request, sql, fail }) {
    const left = await takeBackApproval(sql, request, caller.member_id)
    if (left) return requestAnswer(sql, left, team.id)
    const [now] = await requestById(sql, request.id, team.id)
    if (now?.status === 'pending')
      return fail('conflict', 'You have not approved this, so there is nothing to take back.')
    return fail('human_request_closed')
  },
})
