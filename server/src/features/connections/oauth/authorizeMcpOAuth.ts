// Begins to connect an MCP server by OAuth: finds its authorization server, becomes a client there, and returns the URL at which a person agrees.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { isId } from '../../../base/ids.ts'
import { discover, type Discovered } from '../../../drivers/oauth/discover.ts'
import { requireS256, type AuthorizationServer } from '../../../drivers/oauth/oauth.ts'
import { operation } from '../../../kit/operation.ts'
import { refuseFor } from '../../../kit/problems.ts'
import { Type, type Static } from '../../../kit/schema.ts'
import { McpServerUrl } from './checkMcpOAuth.ts'
import { fields } from '../store/connectionFields.ts'
import { beginFlow } from './oauthFlow.ts'
import { doorOf, troubleWith } from '../store/outsideErrors.ts'
import { ownClient } from './chooseClient.ts'
import { redirectUriOf } from './redirectUri.ts'
import { issuerOf, saveRegistration } from './registration.ts'
import { requireReturnUrl, ReturnUrl } from './returnUrl.ts'
import { AuthorizationBegun, reconnectConnectionId } from './startNativeOAuth.ts'

const Wanted = Type.Object(
  {
    mcp_server_url: McpServerUrl,
    name: Type.Optional(fields.name),
    return_url: Type.Optional(ReturnUrl),
    reconnect_connection_id: reconnectConnectionId,
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' }), {
        maxItems: 50,
        description: 'What to ask for. Absent: what the server says it wants.',
      }),
    ),
    client_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        pattern: '^[!-~]+$',
        description: 'The id of a client that you made at the authorization server. Absent: Runyard registers itself.',
      }),
    ),
    client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, pattern: '^[!-~]+$' })),
  },
  { examples: [{ mcp_server_url: 'https://mcp.example.com/mcp', name: 'Our wiki' }] },
)

export const authorizeMcpOAuth = operation({
  id: 'authorizeMcpOAuth',
  client: 'connections.authorizeMcpOAuth',
  route: 'POST /v2/teams/:teamId/connections/oauth/mcp/start',
  summary: 'Connect an MCP server by OAuth',
  description:
    'Answers with the URL at which the owner of the account agrees; the browser then comes back as with startNativeOAuth. Runyard is known ' +
    'to the authorization server by its client document, by a registration that is made once for the team, or by the client that is given. ' +
    'With `reconnect_connection_id` the same connection is authorised again, also for the scopes that a refused call asked for.',
  scope: 'connections:write',
  body: Wanted,
  status: 201,
  answer: AuthorizationBegun,
  errors: [
    'not_found',
    'invalid_request',
    'url_not_allowed',
    'conflict',
    'duplicate_name',
    'provider_not_configured',
    'public_url_missing',
  ],
  actsOutside: true,
  async prepare({ team, body, sql, context }) {
    const url = await context.guard.checkOnSave(body.mcp_server_url)
    const redirectUri = redirectUriOf(context)
    const returnUrl = body.return_url === undefined ? null : requireReturnUrl(context, body.return_url)
    const known = await connectionOf(sql, team.id, body)
    requireUsable(body, known)
    try {
      const door = doorOf(context)
      const found = await discover(url.href, door)
      const server = requireOAuth(found, url)
      const key = { team_id: team.id, issuer: issuerOf(server), redirect_uri: redirectUri }
      const { client_id, client_secret = null } = body
      const given = client_id === undefined ? undefined : { client_id, client_secret }
      const sought = { given, server, key, isRefused: known?.is_broken === true }
      const { client, registered } = await ownClient(sought, context, door)
      return { url, redirectUri, returnUrl, known, found, server, key, client, registered }
    } catch (error) {
      const trouble = troubleWith(url.host, error)
      throw trouble === undefined
        ? error
        : new Fault('conflict', `${trouble} Check mcp_server_url, or try again later.`)
    }
  },
  async handler({ team, caller, body, prepared, sql, context, fail }) {
    const { url, redirectUri, returnUrl, known, found, server, key, client, registered } = prepared
    if (!known) {
      const [taken] = await sql`select from connections where team_id = ${team.id} and name = ${body.name!}`
      if (taken) fail('duplicate_name', 'This team has a connection of this name. Choose another.')
    }
    if (registered) await saveRegistration(sql, context, key, registered)
    const scopes = [
      ...new Set(body.scopes ?? [...found.scopes, ...(known?.scopes ?? []), ...(known?.wanted_scopes ?? [])]),
    ]
    const begun = await beginFlow(sql, context, {
      caller,
      kind: 'mcp',
      provider: url.host,
      name: known?.name ?? body.name!,
      serverUrl: url.href,
      connectionId: known?.id ?? null,
      server,
      client,
      isRegistered: true,
      resource: found.resource,
      scopes,
      // OpenID Connect Core §11: else no refresh token comes with it
      ...(scopes.includes('offline_access') && { extra: { prompt: 'consent' } }),
      redirectUri,
      returnUrl,
    })
    return { ...begun, connection_id: known?.id ?? null }
  },
})

interface Known {
  id: string
  name: string
  server_url: string
  scopes: string[] | null
  /** The scopes that the server asked for when it refused a call. */
  wanted_scopes: string[] | null
  is_broken: boolean
}

async function connectionOf(sql: Sql, teamId: string, body: Static<typeof Wanted>): Promise<Known | undefined> {
  const { reconnect_connection_id: id } = body
  if (id === undefined) return undefined
  const [known] = isId(id)
    ? await sql<Known>`
        select id, name, server_url, scopes, oauth -> 'wanted_scopes' as wanted_scopes, status = 'action_required' as is_broken
        from connections
        where id = ${id} and team_id = ${teamId} and type = 'mcp' and auth_method = 'oauth' and broker_connection_id is null`
    : []
  if (known) return known
  throw new Fault(
    'not_found',
    'This team has no MCP connection by OAuth with this reconnect_connection_id. Check the id.',
  )
}

function requireUsable(body: Static<typeof Wanted>, known: Known | undefined): void {
  const problems: string[] = []
  if (!known && body.name === undefined) problems.push('name is missing: how the connection is called.')
  if (body.client_secret !== undefined && body.client_id === undefined) {
    problems.push('client_secret needs the client_id that it belongs to.')
  }
  // whatever names the connection expects the same server behind it
  if (known && new URL(body.mcp_server_url).href !== known.server_url) {
    problems.push(`mcp_server_url must be that of the connection: ${known.server_url}`)
  }
  refuseFor(problems)
}

function requireOAuth({ server }: Discovered, { host }: URL): AuthorizationServer {
  if (!server) {
    throw new Fault('conflict', `${host} does not ask for OAuth. Make the connection with createConnection instead.`)
  }
  requireS256(server)
  return server
}
