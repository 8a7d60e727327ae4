// Answers what a run asked a person. The first valid answer counts, and the run continues with it.
import { answerRequest, reasonNotCounted } from '../../engine/requests/humanRequests.ts'
import { hasEnded } from '../../engine/ledger/lifecycle.ts'
import { operation } from '../../kit/operation.ts'
import { nullable, Type } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { HumanRequestAnswer, requestAnswer } from './humanRequest.ts'
import { checkResponse } from '../../engine/requests/humanResponse.ts'

const commentLengthMax = 10_000
const answerLengthMax = 65_536

const Answer = Type.String({ maxLength: answerLengthMax })

export const respondToHumanRequest = operation({
  id: 'respondToHumanRequest',
  client: 'humanRequests.respond',
  route: 'POST /v2/runs/:run_id/human-requests/:request_id/respond',
  summary: 'Answer a human request',
  description:
    'Which field counts depends on the type: `approved` for an approval, `answers` for questions, `values` for a form, `done` for a login. ' +
    'Of several answers the first one counts; the others get a 409. An approval counts for exactly the action shown. Where ' +
    '`approvals_needed` is 2, the request stays pending after the first approval, and another person must give the second; one rejection closes it. Until then ' +
    'withdrawApproval takes an approval back.',
  scope: 'approvals:write',
  body: Type.Object(
    {
      approved: Type.Optional(Type.Boolean({ description: 'Of an approval: whether the action may happen.' })),
      answers: Type.Optional(
        Type.Record(Type.String(), Type.Union([Answer, Type.Array(Answer)]), {
          description:
            'By the text of the question. Where it has options: the label of one, or with `multi_select` a list of labels, also as one text with commas between.',
        }),
      ),
      values: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'Of a form: checked against its `form_schema`.' }),
      ),
      done: Type.Optional(Type.Boolean({ description: 'Of a login: true when you have logged in.' })),
      comment: Type.Optional(
        nullable(Type.String({ maxLength: commentLengthMax, description: 'For the agent and for the record.' })),
      ),
      action_hash: Type.Optional(
        nullable(
          Type.String({ description: 'The `action.hash` that you were shown: refused if another action waits.' }),
        ),
      ),
    },
    { examples: [{ approved: true, comment: 'Within the budget.' }] },
  ),
  status: 200,
  answer: HumanRequestAnswer,
  errors: ['invalid_request', 'conflict', 'human_request_closed'],
  async handler({ team, caller, request, body, sql, fail, context }) {
    if (request.status !== 'pending') fail('human_request_closed')
    const { action_hash, ...given } = body
    if (action_hash && action_hash !== request.action?.hash) {
      fail('conflict', 'The action shown is not the one that waits. Read the request again, then decide.')
    }
    const checked = teamTimeOf(context).piece(team.id, () => checkResponse(request, given))
    if ('misfit' in checked) return fail('invalid_request', checked.misfit)
    if ('broken' in checked) {
      return fail(
        'conflict',
        `The form of this request cannot be used (${checked.broken}). Cancel the request: the agent gets an error.`,
      )
    }
    const answered = await answerRequest(sql, request, { response: checked.response, memberId: caller.member_id })
    if (!answered) {
      const reason = await reasonNotCounted(sql, request, { teamId: team.id, memberId: caller.member_id })
      if (reason !== undefined) return fail('conflict', reason)
      return fail('human_request_closed')
    }
    const answer = await requestAnswer(sql, answered, team.id)
    if (hasEnded(answer.status)) fail('human_request_closed', 'The run has ended, so nobody waits for this answer.')
    return answer
  },
})
