// Deletes an OAuth client; its access tokens stop working within a second.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteOauthClient = operation({
  id: 'deleteOauthClient',
  client: 'oauthClients.delete',
  route: 'DELETE /v2/oauth-clients/:client_id',
  summary: 'Delete an OAuth client',
  scope: 'keys:manage',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  tool: false,
  async handler({ client, team, sql, fail }) {
    const gone = await sql`delete from oauth_clients where id = ${client.id} and team_id = ${team.id} returning id`
    if (gone.length === 0) fail('not_found')
    return { success: true as const }
  },
})
