// A broker that speaks Nango's API: it did the OAuth flow itself and stores the tokens; we ask it for one whenever a call is made.
import { parseBounded } from '../../../base/boundedJson.ts'
import { OutboundFailure } from '../../../base/outbound/fetch.ts'
import { GrantRefused, OAuthTrouble } from '../../../drivers/oauth/failures.ts'
import type { Context } from '../../../kit/context.ts'

/** Identifies the connection by the broker's own ids. */
interface Brokered {
  connectionId: string
  /** The key of the integration at the broker. */
  providerConfigKey: string
}

interface BrokerAnswer {
  access_token: string
  /** The organisation that the broker's connection was made for; null: it does not say. */
  organization: string | null
  /** Who agreed, as the broker knows them. */
  account: string | null
}

const answerBytesMax = 256 * 1024

/** Throws GrantRefused if the broker has no valid token, and OAuthTrouble if it cannot be asked. */
export async function askBroker(context: Context, asked: Brokered, signal: AbortSignal): Promise<BrokerAnswer> {
  const { brokerUrl, brokerKey } = context.config
  if (brokerUrl === undefined || brokerKey === undefined) {
    throw new OAuthTrouble('This server has no broker. Set RUNYARD_BROKER_URL and RUNYARD_BROKER_KEY on it.')
  }
  const url = new URL(`${brokerUrl}/connections/${encodeURIComponent(asked.connectionId)}`)
  url.searchParams.set('provider_config_key', asked.providerConfigKey)
  const headers = { authorization: `Bearer ${brokerKey}`, accept: 'application/json', 'accept-encoding': 'identity' }
  try {
    const { status, body } = await context.outbound.request({
      method: 'GET',
      url: url.href,
      headers,
      signal,
      answerBytesMax,
    })
    return read(status, body)
  } catch (error) {
    if (error instanceof OutboundFailure) throw new OAuthTrouble(error.message, { cause: error })
    throw error
  }
}

function read(status: number, body: Buffer): BrokerAnswer {
  if (status === 404 || status === 400)
    throw new GrantRefused('The broker has no such connection. Connect the account there again.')
  // what Nango answers when the provider refuses to renew the token
  if (status === 424)
    throw new GrantRefused('The broker can no longer renew the token. Connect the account there again.')
  if (status === 401 || status === 403)
    throw new OAuthTrouble('The broker refuses this server’s key. Check RUNYARD_BROKER_KEY.')
  if (status !== 200) throw new OAuthTrouble(`The broker answered ${status}. Try again later.`)
  const answer = parse(body)
  const token = answer.credentials?.access_token
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new GrantRefused(
      'The broker gives no OAuth access token for it. Only such connections can be used, by a key that may read credentials.',
    )
  }
  const { id: organization } = answer.end_user?.organization ?? {}
  const account = answer.end_user?.email ?? answer.end_user?.display_name
  return { access_token: token, organization: textOf(organization), account: textOf(account)?.slice(0, 120) ?? null }
}

interface Told {
  credentials?: { access_token?: unknown }
  end_user?: { email?: unknown; display_name?: unknown; organization?: { id?: unknown } | null } | null
}

function parse(body: Buffer): Told {
  try {
    return parseBounded(body.toString()) ?? {}
  } catch (error) {
    throw new OAuthTrouble('The broker sent an answer that is not JSON.', { cause: error })
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** The current token of a connection whose tokens a broker stores. */
export async function brokerToken(
  context: Context,
  { id, team_id }: { id: string; team_id: string },
  signal: AbortSignal,
): Promise<string> {
  const [row] = await context.db.sql<{ connection_id: string; provider_config_key: string }>`
    select broker_connection_id as connection_id, oauth ->> 'provider_config_key' as provider_config_key
    from connections where id = ${id} and team_id = ${team_id} and broker_connection_id is not null`
  if (!row) throw new GrantRefused('The connection does not exist or is not managed by a broker.')
  const asked = { connectionId: row.connection_id, providerConfigKey: row.provider_config_key }
  return (await askBroker(context, asked, signal)).access_token
}
