// Removes a person from the team; their credentials stop working within a second.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { isOnlyAdmin, onlyAdminMessage } from './member.ts'

export const deleteMember = operation({
  id: 'deleteMember',
  client: 'members.delete',
  route: 'DELETE /v2/teams/:teamId/members/:member_id',
  summary: 'Remove a member',
  description: 'All API keys, OAuth clients and sessions of the member stop working. A team keeps at least one admin.',
  scope: 'keys:manage',
  status: 200,
  answer: Success,
  errors: ['conflict', 'not_found'],
  tool: false,
  async handler({ team, member, sql, fail }) {
    if (await isOnlyAdmin(sql, team.id, member.id)) fail('conflict', onlyAdminMessage)
    const removed = await sql`
      update members set removed_at = now()
      where id = ${member.id} and team_id = ${team.id} and removed_at is null returning id`
    if (removed.length === 0) fail('not_found')
    return { success: true as const }
  },
})
