// Answers what the work on an artifact asked. The work continues with the answer.
import { isId } from '../../base/ids.ts'
import {
  answerRequest,
  isOfEngine,
  reasonNotCounted,
  requestById,
  type HumanRequest,
} from '../../engine/requests/humanRequests.ts'
import { checkResponse, type Given } from '../../engine/requests/humanResponse.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { spelled } from '../../kit/spellings.ts'
import { answerNow, ArtifactAnswer, requireEditor } from './artifact.ts'

const Answer = Type.String({ maxLength: 65_536 })

export const answerArtifact = operation({
  id: 'answerArtifact',
  client: 'artifacts.answer',
  route: 'POST /v2/artifacts/:artifactId/answer',
  summary: 'Answer a question of an artifact',
  description:
    'Answers `pending_question`. Of several answers the first one counts; the others get a 409. Where a call is held back, nobody knows ' +
    'whether a call happened, or the work has reached a limit, the answer takes the scope `approvals:write` too, and names its `tool_call_id`.',
  scope: 'artifacts:write',
  body: Type.Object(
    {
      answers: Type.Record(Type.String(), Type.Union([Answer, Type.Array(Answer)]), {
        description:
          'The answer to each question, by the text of the question. If it has options: the label of one, or with `multi_select` a list of labels.',
      }),
      tool_call_id: spelled(
        Type.Optional(
          Type.String({
            description:
              'The `tool_call_id` of `pending_question`. If another question is open by now, the answer is refused.',
          }),
        ),
        { names: ['toolCallId'] },
      ),
    },
    { examples: [{ answers: { 'Which page do you want?': 'Operations today' } }] },
  ),
  status: 200,
  answer: Type.Object({ ...ArtifactAnswer.properties, ok: Type.Literal(true) }),
  errors: ['forbidden', 'insufficient_scope', 'invalid_request', 'conflict'],
  async handler({ team, artifact, caller, body, context, sql, fail }) {
    requireEditor(artifact, caller, fail)
    const open = artifact.pending_question
    if (!open) return fail('conflict', 'This artifact has no open question.')
    if (body.tool_call_id !== undefined && body.tool_call_id !== open.tool_call_id) {
      return fail('conflict', 'Another question is open by now. Read the artifact again, then answer.')
    }
    const [request] = isId(open.tool_call_id) ? await requestById(sql, open.tool_call_id, team.id) : []
    if (!request) return fail('conflict', 'This question is closed.')
    // also a question about a call that may have happened: one of its answers makes the call
    if (isOfEngine(request)) {
      // whoever may write pages wrote the call too, so they alone do not allow it
      if (!caller.scopes.has('approvals:write')) {
        fail('insufficient_scope', 'This answer decides about a call or a limit: it takes the scope approvals:write.')
      }
      if (body.tool_call_id === undefined) {
        fail('invalid_request', 'tool_call_id is missing: another call may ask the same, so say which one you mean.')
      }
    }
    const checked = checkResponse({ ...request, takesComment: false }, givenTo(request, body.answers))
    if ('misfit' in checked) return fail('invalid_request', checked.misfit)
    if ('broken' in checked) return fail('conflict', checked.broken)
    const answered = await answerRequest(sql, request, { response: checked.response, memberId: caller.member_id })
    if (!answered) {
      const reason = await reasonNotCounted(sql, request, { teamId: team.id, memberId: caller.member_id })
      return fail('conflict', reason ?? 'Somebody else answered first, or the question is closed.')
    }
    return { ...(await answerNow(context, sql, artifact, caller)), ok: true as const }
  },
})

/** An approval is shown as a question with two options. Any other answer is none: the check then says what is missing. */
function givenTo({ type, title }: HumanRequest, answers: Record<string, string | string[]>): Given {
  if (type !== 'approval') return { answers }
  const approved = new Map<unknown, boolean>([
    ['Approve', true],
    ['Reject', false],
  ]).get(answers[title])
  return approved === undefined ? {} : { approved }
}
