// Gives a human request to a member, or to nobody; anyone who may answer still can.
import { isId } from '../../base/ids.ts'
import { assignRequest } from '../../engine/requests/humanRequests.ts'
import { operation } from '../../kit/operation.ts'
import { nullable, Type } from '../../kit/schema.ts'
import { HumanRequestAnswer, requestAnswer } from './humanRequest.ts'

export const assignHumanRequest = operation({
  id: 'assignHumanRequest',
  client: 'humanRequests.assign',
  route: 'POST /v2/runs/:run_id/human-requests/:request_id/assign',
  summary: 'Assign a human request',
  description: 'Puts the request into the inbox of a member. Others can still answer it. There is no event for it.',
  scope: 'runs:write',
  body: Type.Object({
    assignee_user_id: nullable(Type.String({ description: 'A member of the team, or null to unassign.' })),
  }),
  status: 200,
  answer: HumanRequestAnswer,
  errors: ['not_found', 'human_request_closed'],
  async handler({ team, request, body, sql, fail }) {
    const { assignee_user_id: assignee } = body
    if (assignee !== null) {
      // locked, so that a member who is being removed is not given anything
      const members = isId(assignee)
        ? await sql`
            select id from members where id = ${assignee} and team_id = ${team.id} and removed_at is null for share`
        : []
      if (members.length === 0) fail('not_found', 'This team has no member with this assignee_user_id.')
    }
    const assigned = await assignRequest(sql, request, assignee)
    if (!assigned) return fail('human_request_closed')
    return requestAnswer(sql, assigned, team.id)
  },
})
