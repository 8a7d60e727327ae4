// Ends a session: it stops working everywhere within a second.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteSession = operation({
  id: 'deleteSession',
  client: 'sessions.delete',
  route: 'DELETE /v2/sessions/:member_session_id',
  summary: 'End a session',
  description: 'One of your own; with the scope `keys:manage`, that of any member.',
  scope: 'team:read',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  tool: false,
  async handler({ team, member_session, sql, fail }) {
    const ended = await sql`
      update sessions set revoked_at = now()
      where id = ${member_session.id} and team_id = ${team.id} and revoked_at is null returning id`
    if (ended.length === 0) fail('not_found')
    return { success: true as const }
  },
})
