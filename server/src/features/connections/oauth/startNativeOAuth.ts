// Begins to connect an account of a provider of the table: returns the URL at which its owner agrees.
import type { Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { Id, nullable, Time, Type } from '../../../kit/schema.ts'
import { spelled } from '../../../kit/spellings.ts'
import { beginFlow } from './oauthFlow.ts'
import { nativeClient, settingsWanted } from '../providers/nativeClient.ts'
import { providerSpelled } from '../providers/providers.ts'
import { callbackPath, redirectUriOf } from './redirectUri.ts'
import { requireReturnUrl, ReturnUrl } from './returnUrl.ts'

export const reconnectConnectionId = spelled(
  Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'A connection to authorise again: it keeps its id and its name, so agents need no change. It may belong to another account afterwards.',
    }),
  ),
  { names: ['reconnect_instance_id'] },
)

/** What both ways of beginning answer. */
export const AuthorizationBegun = Type.Object({
  authorization_url: Type.String({ description: 'The owner of the account opens this URL in a browser.' }),
  state: Type.String({ description: 'Identifies this authorisation; it can be used once.' }),
  connection_id: nullable(Id),
  expires_at: Time,
})

/** Undefined: the team has none of this provider with this id. */
async function connectionToReconnect(
  sql: Sql,
  wanted: { teamId: string; id: string; provider: string },
): Promise<{ id: string; name: string } | undefined> {
  if (!isId(wanted.id)) return undefined
  const [found] = await sql<{ id: string; name: string }>`
    select id, name from connections
    where id = ${wanted.id} and team_id = ${wanted.teamId} and type = 'native' and provider = ${wanted.provider}
      and broker_connection_id is null`
  return found
}

export const startNativeOAuth = operation({
  id: 'startNativeOAuth',
  client: 'connections.startNativeOAuth',
  route: 'POST /v2/teams/:teamId/connections/oauth/native/:provider/start',
  summary: 'Connect an account',
  description:
    'Answers with a URL at which the owner of the account agrees. The connection is made when their browser comes back to this server, ' +
    'once, within ten minutes. The key or client that began this must still be valid then. A provider’s name is also accepted without its ' +
    'hyphens: `googlesheets` for `google-sheets`.',
  scope: 'connections:write',
  body: Type.Object(
    {
      return_url: Type.Optional(ReturnUrl),
      reconnect_connection_id: reconnectConnectionId,
      scopes: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' }), {
          maxItems: 50,
          description: 'What to ask for, in the provider’s words. Absent: what the table of providers asks for.',
        }),
      ),
    },
    { examples: [{ scopes: ['repo', 'read:user'] }] },
  ),
  status: 200,
  answer: AuthorizationBegun,
  errors: ['not_found', 'provider_not_configured', 'public_url_missing'],
  async handler({ team, caller, params, body, sql, context, fail }) {
    const row = providerSpelled(params.provider)
    if (!row) return fail('not_found')
    const native = nativeClient(context.config, row.name)
    if (!native) {
      const wanted = settingsWanted(row)
      return fail(
        'provider_not_configured',
        `${row.title} has no OAuth client on this server. Make one at the provider (${row.docs}) with the redirect URI ` +
          `${context.baseUrl()}${callbackPath}, then set ${wanted} and start the server again.`,
      )
    }
    const redirectUri = redirectUriOf(context)
    const returnUrl = body.return_url === undefined ? null : requireReturnUrl(context, body.return_url)
    const wantedId = body.reconnect_connection_id
    const known =
      wantedId === undefined
        ? undefined
        : await connectionToReconnect(sql, { teamId: team.id, id: wantedId, provider: row.name })
    if (wantedId !== undefined && !known) {
      return fail(
        'not_found',
        `This team has no ${row.title} connection with this reconnect_connection_id. Check the id.`,
      )
    }
    const begun = await beginFlow(sql, context, {
      caller,
      kind: 'native',
      provider: row.name,
      name: known?.name ?? null,
      serverUrl: null,
      connectionId: known?.id ?? null,
      server: native.server,
      client: native.client,
      isRegistered: false,
      resource: null,
      scopes: [...new Set(body.scopes ?? native.provider.scopes)],
      scopeSeparator: native.provider.scope_separator,
      extra: native.provider.extra,
      hasPkce: native.provider.pkce !== 'none',
      redirectUri,
      returnUrl,
    })
    return { ...begun, connection_id: known?.id ?? null }
  },
})
