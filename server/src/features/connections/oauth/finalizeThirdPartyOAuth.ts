// Makes a connection from one that a broker holds: the account's owner has agreed there, and the tokens stay there.
import { GrantRefused, OAuthTrouble } from '../../../drivers/oauth/oauth.ts'
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { askBroker } from '../credential/broker.ts'
import { Connection, connectionColumns } from '../store/connection.ts'
import { fields, requireSecure } from '../store/connectionFields.ts'
import { insertUnderFreeName } from '../store/newConnection.ts'
import { providerSpelled } from '../providers/providers.ts'
import { reauthorized } from '../store/connectionState.ts'

const askMs = 20_000

export const finalizeThirdPartyOAuth = operation({
  id: 'finalizeThirdPartyOAuth',
  client: 'connections.finalizeThirdPartyOAuth',
  route: 'POST /v2/teams/:teamId/connections/oauth/third-party/:provider/finalize',
  summary: 'Take over a broker’s connection',
  description:
    'For a broker with Nango’s API, which the server’s settings name. The client went through OAuth there and sends the id of the ' +
    'connection; the broker is asked whether it is good. Where the broker says for which organisation it was made, that must be this team. ' +
    'Sending it again returns the same connection and reactivates it.',
  scope: 'connections:write',
  body: Type.Object(
    {
      broker_connection_id: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[!-~]+$',
        description: 'The connection’s id at the broker.',
      }),
      provider_config_key: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          pattern: '^[!-~]+$',
          description: 'The integration’s id at the broker. Absent: the provider of the path.',
        }),
      ),
      name: Type.Optional(fields.name),
      server_url: Type.Optional(fields.server_url),
      shared: Type.Optional(fields.shared),
    },
    { examples: [{ broker_connection_id: 'broker-connection-1', name: 'Sales' }] },
  ),
  status: 201,
  answer: wrapped('connection', 'connection_id', Connection),
  errors: ['not_found', 'provider_not_configured', 'conflict', 'invalid_request', 'url_not_allowed'],
  emits: ['connection.updated'],
  actsOutside: true,
  async prepare({ team, params, body, context, fail }) {
    const row = providerSpelled(params.provider)
    // a provider that is not in the table needs a URL, or its token could not be sent anywhere
    if (!row && body.server_url === undefined) return fail('not_found')
    const { brokerUrl, brokerKey } = context.config
    if (brokerUrl === undefined || brokerKey === undefined) {
      return fail(
        'provider_not_configured',
        'This server has no broker. Set RUNYARD_BROKER_URL and RUNYARD_BROKER_KEY and start it again.',
      )
    }
    if (body.server_url !== undefined) {
      await context.guard.checkOnSave(body.server_url)
      requireSecure(body.server_url)
    }
    const providerConfigKey = body.provider_config_key ?? params.provider
    const asked = { connectionId: body.broker_connection_id, providerConfigKey }
    try {
      const { organization, account } = await askBroker(context, asked, AbortSignal.timeout(askMs))
      if (organization !== null && organization !== team.id) {
        return fail('invalid_request', 'The broker made this connection for another organisation than this team.')
      }
      return { row, account, providerConfigKey }
    } catch (error) {
      if (error instanceof GrantRefused) return fail('invalid_request', error.message)
      if (error instanceof OAuthTrouble) return fail('conflict', error.message)
      throw error
    }
  },
  async handler({ team, caller, params, body, sql, context, prepared: { row, account, providerConfigKey }, fail }) {
    const provider = row?.name ?? params.provider
    // only one connection of all teams may use it: another request with the same one waits here
    await sql`select pg_advisory_xact_lock(hashtextextended(${body.broker_connection_id}, 15))`
    const [known] = await sql<Connection>`
      with c as (
        update connections set status = 'active', broken_at = null, broken_reason = null, generation = generation + 1, updated_at = now()
        where broker_connection_id = ${body.broker_connection_id} and team_id = ${team.id} and provider = ${provider}
          and oauth ->> 'provider_config_key' = ${providerConfigKey}
        returning *)
      select ${connectionColumns} from c`
    if (known) {
      await reauthorized(sql, known)
      return { connection: known, connection_id: known.id }
    }
    const taken = await sql`select 1 from connections where broker_connection_id = ${body.broker_connection_id} limit 1`
    if (taken.length > 0)
      fail('conflict', 'The broker’s connection is in use already. Connect the account there once more.')
    const title = row?.title ?? provider
    const made = await insertUnderFreeName(sql, context, team.id, {
      name: body.name ?? (account === null ? title : `${title} (${account})`),
      type: row ? 'native' : 'api',
      provider,
      server_url: body.server_url === undefined ? null : new URL(body.server_url).href,
      transport: null,
      auth_method: 'oauth',
      user_id: caller.member_id,
      scopes: null,
      secret: null,
      oauth: { provider_config_key: providerConfigKey },
      broker_connection_id: body.broker_connection_id,
      ...(body.shared !== undefined && { shared: body.shared }),
    })
    return { connection: made, connection_id: made.id }
  },
})
