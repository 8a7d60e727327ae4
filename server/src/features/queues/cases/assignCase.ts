// A person gives a case to a member, who holds it from then on.
import { operation } from '../../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../../kit/schema.ts'
import { isId } from '../../../base/ids.ts'
import { Case } from './case.ts'
import { moveByPerson, Reason } from './moveByPerson.ts'

export const assignCase = operation({
  id: 'assignCase',
  client: 'cases.assign',
  route: 'POST /v2/cases/:case_id/assign',
  summary: 'Assign a case to a member',
  description:
    'The member holds the case until they complete, fail, postpone or release it, as if they had taken it; with null you give back a case ' +
    'that you hold. Works for a case that you hold, or that nobody holds. Refused with 409 if somebody else holds it or it has ended.',
  scope: 'queues:write',
  body: Type.Object({
    assignee_user_id: nullable(Type.String({ description: 'A member of the team; null: nobody.' })),
    reason: Type.Optional(nullable(Reason)),
  }),
  status: 200,
  answer: wrapped('case', 'case_id', Case),
  errors: ['invalid_request', 'conflict', 'not_found'],
  async handler(call) {
    const { team, body, sql, fail } = call
    const { assignee_user_id: id, reason: why = null } = body
    if (id === null) return moveByPerson(call, { type: 'released', reason: why })
    // locked, so that nobody who is just being removed gets a case
    const [member] = isId(id)
      ? await sql<{ id: string; name: string }>`
          select id, name from members where id = ${id} and team_id = ${team.id} and removed_at is null for key share`
      : []
    if (!member) return fail('invalid_request', 'This team has no member with this assignee_user_id. List the members.')
    const says = `To ${member.name}.`
    const reason = why ? `${says} ${why}` : says
    return moveByPerson(call, { type: 'assigned', assignee_id: member.id, reason })
  },
})
