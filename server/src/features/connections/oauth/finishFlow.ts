// Ends an authorisation: the code becomes tokens, and the tokens a connection, or a connection that works again.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { OutboundFailure } from '../../../base/outbound/fetch.ts'
import { GrantRefused, OAuthTrouble, redeemCode, type Grant, type OAuthClient } from '../../../drivers/oauth/oauth.ts'
import { recordOutcome } from '../../../kit/audit.ts'
import type { Context } from '../../../kit/context.ts'
import { askAccount } from '../providers/readAccount.ts'
import type { Connection } from '../store/connection.ts'
import { mayFinish, type Flow } from './oauthFlow.ts'
import { clientOfGrant } from '../providers/nativeClient.ts'
import {
  insertUnderFreeName,
  renewConnection,
  timesOf,
  type NewConnection,
  type OAuthFacts,
} from '../store/newConnection.ts'
import type { AccountRequest, Provider } from '../providers/providers.ts'
import type { Secret } from '../store/secret.ts'

const finishMs = 45_000

/** Throws GrantRefused, OAuthTrouble or a Fault, each with a sentence for the person at the browser. */
export async function finishFlow(
  context: Context,
  flow: Flow,
  callback: URLSearchParams,
  requestId: string,
): Promise<Connection> {
  await requireMayFinish(context.db.sql, flow)
  const { client, provider } = clientOf(context, flow)
  const signal = AbortSignal.timeout(finishMs)
  const { server, redirect_uri: redirectUri, resource } = flow.facts
  const grant = await redeemCode(
    {
      server,
      client,
      redirectUri,
      state: flow.state,
      verifier: flow.verifier,
      callback,
      resource: resource ?? undefined,
    },
    { fetch: context.outbound.fetch, signal },
  ).catch((error: unknown) => {
    throw signal.aborted ? new OAuthTrouble('The provider did not answer in time.', { cause: error }) : error
  })
  const account = provider?.account ? await accountOf(context, provider.account, grant, signal) : null
  return keep(context, flow, { grant, account, provider, requestId })
}

async function requireMayFinish(sql: Sql, flow: Flow): Promise<void> {
  if (await mayFinish(sql, flow)) return
  throw new Fault(
    'forbidden',
    'The key that began this has been revoked, has expired or may no longer make connections. Begin again with a good one.',
  )
}

/** For a provider of the table, the secret comes from the server's settings, which may have changed since the flow began. */
function clientOf({ config }: Context, flow: Flow): { client: OAuthClient; provider: Provider | null } {
  const { client_id, auth_method } = flow.facts
  if (flow.kind === 'mcp')
    return { client: { client_id, client_secret: flow.client_secret, auth_method }, provider: null }
  const native = clientOfGrant(config, flow.provider, flow.facts)
  if (!native) {
    throw new Fault('conflict', 'The server’s settings for this provider have changed since then. Begin again.')
  }
  return native
}

/** The name is only for people: if it cannot be read, the connection is made without one. */
async function accountOf(
  { outbound, log }: Context,
  account: AccountRequest,
  { access_token }: Grant,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { label } = await askAccount(outbound, account, { authorization: `Bearer ${access_token}` }, signal)
    return label
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    log.info({ host: new URL(account.url).host, reason: error.message }, 'the name of an account could not be read')
    return null
  }
}

interface Granted {
  grant: Grant
  account: string | null
  provider: Provider | null
  requestId: string
}

async function keep(context: Context, flow: Flow, granted: Granted): Promise<Connection> {
  const { grant, account, provider, requestId } = granted
  const { server, client_id, auth_method, resource, scopes } = flow.facts
  const oauth: OAuthFacts = { server, client_id, auth_method, resource, account }
  const secret: Secret = {
    kind: 'oauth',
    access_token: grant.access_token,
    refresh_token: grant.refresh_token,
    token_type: grant.token_type,
    client_secret: flow.client_secret,
  }
  const kept = { secret, oauth, grant: timesOf(grant), scopes: grant.scopes ?? scopes }
  const serverUrl = flow.server_url ?? ownServerOf(provider, grant)
  return context.db.transaction(async (sql) => {
    const made: NewConnection = {
      ...kept,
      name: flow.name ?? automaticName(provider, account),
      type: flow.kind,
      provider: flow.provider,
      server_url: serverUrl,
      transport: null,
      auth_method: 'oauth',
      user_id: flow.user_id,
    }
    const connection =
      flow.connection_id === null
        ? await insertUnderFreeName(sql, context, flow.team_id, made)
        : await renewConnection(
            sql,
            context,
            { id: flow.connection_id, teamId: flow.team_id },
            { ...kept, server_url: serverUrl, name: null },
          )
    if (!connection) throw new GrantRefused('The connection was deleted since then. Make a new one.')
    // the provider may have taken as long as it liked, and the connection itself is locked only now
    await requireMayFinish(sql, flow)
    await recordOutcome(sql, {
      teamId: flow.team_id,
      memberId: flow.user_id,
      credential: { type: flow.credential_kind, id: flow.credential_id },
      operation: 'finishOAuth',
      target: { type: 'connection', id: connection.id },
      requestId,
      status: 200,
      error: null,
    })
    return connection
  })
}

const automaticName = (provider: Provider | null, account: string | null): string =>
  [provider?.title ?? 'MCP server', ...(account === null ? [] : [`(${account})`])].join(' ')

/** The URL of the account's own server, which some providers give, such as Salesforce. */
function ownServerOf(provider: Provider | null, { raw }: Grant): string | null {
  const given = provider?.own_server === undefined ? undefined : raw[provider.own_server]
  const url = typeof given === 'string' ? URL.parse(given) : null
  return url?.protocol === 'https:' ? url.origin : null
}
