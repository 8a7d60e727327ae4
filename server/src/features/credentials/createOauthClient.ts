// Makes an OAuth client; its secret is in this answer and nowhere else.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { hashToken, randomWord } from '../../base/secrets.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { Scopes } from './apiKey.ts'
import { boundedExpiry, requireGrantable } from './grant.ts'
import { OauthClient } from './oauthClient.ts'

export const createOauthClient = operation({
  id: 'createOauthClient',
  client: 'oauthClients.create',
  route: 'POST /v2/teams/:teamId/oauth-clients',
  summary: 'Make an OAuth client',
  description:
    'For the client-credentials grant at POST /oauth/token. The secret is in this answer alone. The client ends with the credential that ' +
    'makes it, and its tokens with the client.',
  scope: 'keys:manage',
  body: Type.Object({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['billing system'] })),
    scopes: Type.Optional(Scopes),
  }),
  status: 201,
  answer: Type.Object({
    ...wrapped('oauth_client', 'client_id', OauthClient).properties,
    client_secret: Type.String(),
  }),
  errors: ['insufficient_scope', 'invalid_request', 'not_found'],
  tool: false,
  async handler({ team, caller, body, sql, fail }) {
    const memberId = caller.member_id
    const scopes = await requireGrantable(sql, caller, { teamId: team.id, memberId, scopes: body.scopes }, fail)
    const client_secret = `rys_${randomWord(40)}`
    const oauth_client = await one(sql<OauthClient>`
      insert into oauth_clients (id, team_id, member_id, name, secret_hash, scopes, expires_at)
      values (${newId()}, ${team.id}, ${memberId}, ${body.name ?? 'OAuth client'}, ${hashToken(client_secret)},
        ${[...new Set(scopes)]}, ${boundedExpiry(caller, null, fail)})
      returning id, team_id, member_id as user_id, name, scopes, expires_at, null as last_used_at, created_at`)
    return { oauth_client, client_id: oauth_client.id, client_secret }
  },
})
