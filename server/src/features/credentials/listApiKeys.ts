// Lists the team's API keys that work, newest first; never their secrets.
import { operation } from '../../kit/operation.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { ApiKey } from './apiKey.ts'

export const listApiKeys = operation({
  id: 'listApiKeys',
  route: 'GET /v2/teams/:teamId/api-keys',
  summary: 'List API keys',
  description: 'Revoked keys are left out; expired ones are listed until they are deleted.',
  scope: 'keys:manage',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('api_keys', ApiKey),
  tool: false,
  async handler({ team, query: { limit, offset }, sql }) {
    const api_keys = await sql<ApiKey>`
      select k.id, k.team_id, k.member_id as user_id, k.name, k.hint, k.scopes, k.expires_at, u.last_used_at, k.created_at
      from api_keys k join members m on m.id = k.member_id and m.removed_at is null
        left join credential_uses u on u.credential_id = k.id
      where k.team_id = ${team.id} and k.revoked_at is null order by k.id desc limit ${limit} offset ${offset}`
    const [count] = await sql<{ total: number }>`
      select count(*) as total from api_keys k join members m on m.id = k.member_id and m.removed_at is null
      where k.team_id = ${team.id} and k.revoked_at is null`
    return { api_keys, total: count!.total, limit, offset }
  },
})
