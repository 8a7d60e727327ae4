// Lists the headers that a connection sends, and never their values.
import { operation } from '../../kit/operation.ts'
import { Id, nullable, oneOf, Time, Type } from '../../kit/schema.ts'
import { authMethods } from './store/connection.ts'
import { openSecret } from './store/secret.ts'

export const getConnectionCredentials = operation({
  id: 'getConnectionCredentials',
  client: 'connections.getCredentials',
  route: 'GET /v2/connections/:connection_id/credentials',
  summary: 'See which credentials a connection has',
  description:
    'The names of the headers that are set, and whether there are OAuth tokens. No value of them leaves the server.',
  scope: 'connections:read',
  status: 200,
  answer: Type.Object({
    connection_id: Id,
    auth_method: oneOf(authMethods),
    headers: Type.Array(Type.Object({ name: Type.String({ examples: ['X-Api-Key'] }), is_set: Type.Literal(true) }), {
      description: 'The headers that are sent with every call, with that of the API key.',
    }),
    has_oauth_tokens: Type.Boolean(),
    expires_at: nullable(Time),
  }),
  async handler({ team, connection, sql, context }) {
    const [row] = await sql<{ secret: Buffer | null }>`
      select secret from connections where id = ${connection.id} and team_id = ${team.id}`
    const secret = row?.secret ? openSecret(context.keyring, connection.id, row.secret) : null
    const names = secret?.kind === 'headers' ? Object.keys(secret.headers).toSorted() : []
    return {
      connection_id: connection.id,
      auth_method: connection.auth_method,
      headers: names.map((name) => ({ name, is_set: true as const })),
      has_oauth_tokens: connection.has_oauth_tokens,
      expires_at: connection.expires_at,
    }
  },
})
