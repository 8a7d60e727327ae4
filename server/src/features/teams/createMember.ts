// Adds a person to the team.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import {
  Member,
  memberColumns,
  MemberEmail,
  MemberName,
  MemberRole,
  refusingTakenEmail,
  requireMayGiveEmail,
} from './member.ts'

export const createMember = operation({
  id: 'createMember',
  client: 'members.create',
  route: 'POST /v2/teams/:teamId/members',
  summary: 'Add a member',
  description:
    'Adds a person; API keys made for them carry their id as the `user_id` of what those keys do. An `email` needs every scope of the role, ' +
    'because it is a way to sign in.',
  scope: 'keys:manage',
  body: Type.Object({
    name: MemberName,
    email: Type.Optional(MemberEmail),
    role: Type.Optional(MemberRole),
  }),
  status: 201,
  answer: wrapped('member', 'member_id', Member),
  errors: ['conflict', 'insufficient_scope'],
  tool: false,
  async handler({ team, caller, body, sql, fail }) {
    const { role = 'operator', email = null } = body
    if (email !== null) requireMayGiveEmail(caller, role, fail)
    const member = await one(
      refusingTakenEmail(
        fail,
        () => sql<Member>`
        insert into members (id, team_id, name, email, role)
        values (${newId()}, ${team.id}, ${body.name}, ${email}, ${role})
        returning ${memberColumns}`,
      ),
    )
    return { member: member, member_id: member.id }
  },
})
