// Changes a member's name, email or role.
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import {
  isOnlyAdmin,
  lockMember,
  Member,
  memberColumns,
  MemberEmail,
  MemberName,
  MemberRole,
  onlyAdminMessage,
  refusingTakenEmail,
  requireMayGiveEmail,
} from './member.ts'
import { effectiveScopes, type Role, type Scope } from '../../kit/scopes.ts'

/** A higher role widens every credential that the member has. */
const scopesGained = (from: Role, to: Role): Scope[] => {
  const held = effectiveScopes(['*'], from)
  return [...effectiveScopes(['*'], to)].filter((scope) => !held.has(scope))
}

export const updateMember = operation({
  id: 'updateMember',
  client: 'members.update',
  route: 'PATCH /v2/teams/:teamId/members/:member_id',
  summary: 'Change a member',
  description:
    'A new role counts for all of the member’s credentials within a second, and cannot give any of them a scope that your credential lacks. ' +
    'A new `email` needs every scope of the role, because it is a way to sign in. A team keeps at least one admin.',
  scope: 'keys:manage',
  body: Type.Object({
    name: Type.Optional(MemberName),
    email: Type.Optional(MemberEmail),
    role: Type.Optional(MemberRole),
  }),
  status: 200,
  answer: wrapped('member', 'member_id', Member),
  errors: ['conflict', 'insufficient_scope', 'not_found'],
  tool: false,
  async handler({ team, member: { id }, caller, body, sql, fail }) {
    const stepsDown = body.role !== undefined && body.role !== 'admin'
    const isLast = stepsDown && (await isOnlyAdmin(sql, team.id, id))
    // another change of the member may have come since the path was resolved: what may be given depends on the role that it left
    const [member] = await lockMember(sql, id, team.id)
    if (!member) return fail('not_found')
    const gained = body.role === undefined ? [] : scopesGained(member.role, body.role)
    const lacked = gained.filter((scope) => !caller.scopes.has(scope))
    if (lacked.length > 0) {
      fail('insufficient_scope', `Your credential lacks ${lacked.join(', ')} and so cannot give a role that has it.`)
    }
    const isNewEmail = typeof body.email === 'string' && body.email !== member.email
    if (isNewEmail) requireMayGiveEmail(caller, body.role ?? member.role, fail)
    if (isLast) fail('conflict', onlyAdminMessage)
    const [changed] = await refusingTakenEmail(
      fail,
      () => sql<Member>`
        update members set
          name = coalesce(${body.name ?? null}, name),
          email = case when ${'email' in body} then ${body.email ?? null} else email end,
          role = coalesce(${body.role ?? null}, role),
          updated_at = now()
        where id = ${id} and team_id = ${team.id} and removed_at is null
        returning ${memberColumns}`,
    )
    if (!changed) return fail('not_found')
    return { member: changed, member_id: changed.id }
  },
})
