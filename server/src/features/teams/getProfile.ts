// Says who the credential is: the member it belongs to and what it may do.
import { operation } from '../../kit/operation.ts'
import { Id, named, nullable, oneOf, Type } from '../../kit/schema.ts'
import { grantableScopes, roles } from '../../kit/scopes.ts'
import { findMember } from './member.ts'

const Profile = named(
  'Profile',
  Type.Object({
    id: Id,
    name: Type.String(),
    email: nullable(Type.String()),
    role: oneOf(roles),
    team_id: Id,
    scopes: Type.Array(oneOf(grantableScopes)),
  }),
)

export const getProfile = operation({
  id: 'getProfile',
  client: 'teams.profile',
  route: 'GET /v2/profile',
  summary: 'Get the profile of the credential',
  description: 'The member that the credential belongs to, and its scopes, limited to that member’s role.',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ profile: Profile }),
  errors: ['unauthorized'],
  async handler({ team, caller, sql, fail }) {
    const [member] = await findMember(sql, caller.member_id, team.id)
    // the member was removed while the credential was still cached
    if (!member) return fail('unauthorized')
    const { id, name, email, role, team_id } = member
    return { profile: { id, name, email, role, team_id, scopes: [...caller.scopes] } }
  },
})
