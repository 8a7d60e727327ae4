// Lists the team's OAuth clients, newest first; never their secrets.
import { operation } from '../../kit/operation.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { OauthClient } from './oauthClient.ts'

export const listOauthClients = operation({
  id: 'listOauthClients',
  route: 'GET /v2/teams/:teamId/oauth-clients',
  summary: 'List OAuth clients',
  scope: 'keys:manage',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('oauth_clients', OauthClient),
  tool: false,
  async handler({ team, query: { limit, offset }, sql }) {
    const oauth_clients = await sql<OauthClient>`
      select c.id, c.team_id, c.member_id as user_id, c.name, c.scopes, u.last_used_at, c.created_at
      from oauth_clients c join members m on m.id = c.member_id and m.removed_at is null
        left join credential_uses u on u.credential_id = c.id
      where c.team_id = ${team.id} order by c.id desc limit ${limit} offset ${offset}`
    const [count] = await sql<{ total: number }>`
      select count(*) as total from oauth_clients c join members m on m.id = c.member_id and m.removed_at is null
      where c.team_id = ${team.id}`
    return { oauth_clients, total: count!.total, limit, offset }
  },
})
