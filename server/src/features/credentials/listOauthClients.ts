// Lists the team's OAuth clients, newest first; never their secrets.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { clientColumns, OauthClient, workingClients } from './oauthClient.ts'

export const listOauthClients = operation({
  id: 'listOauthClients',
  client: 'oauthClients.list',
  route: 'GET /v2/teams/:teamId/oauth-clients',
  summary: 'List OAuth clients',
  scope: 'keys:manage',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('oauth_clients', OauthClient),
  tool: false,
  async handler({ team, query, sql }) {
    const list = { columns: clientColumns, from: workingClients(team.id), order: part`c.id desc` }
    const { rows, ...page } = await readPage<OauthClient>(sql, list, query)
    return { oauth_clients: rows, ...page }
  },
})
