// Ourselves as the client of a provider of the table: its row, with what the operator's settings say.
import type { Config } from '../../../base/config.ts'
import type { OauthSettings } from '../../../base/oauthSettings.ts'
import type { AuthorizationServer, OAuthClient } from '../../../drivers/oauth/oauth.ts'
import type { OAuthFacts } from '../store/newConnection.ts'
import { providerNamed, providers, type Provider } from './providers.ts'

interface NativeClient {
  provider: Provider
  server: AuthorizationServer
  client: OAuthClient
}

/** What a server of OpenID Connect calls a person (its Core 1.0 §5.1), for an instance of one's own. */
const usualLabels = ['preferred_username', 'email', 'name', 'sub']

/** With another token endpoint it is an instance of one's own: then nothing of the row may send its tokens to the provider's servers. */
function ofInstance(row: Provider, set: OauthSettings): Partial<Provider> {
  const { authorization_url, token_url, revocation_url, account_url, issuer } = set
  const isOwn = token_url !== undefined
  const labels = row.account ? [...row.account.label, ...usualLabels] : usualLabels
  const account = account_url === undefined ? null : { ...row.account, url: account_url, label: labels }
  const ownHosts = [token_url, account_url].flatMap((url) => (url === undefined ? [] : new URL(url).host))
  return {
    authorization_url: authorization_url ?? row.authorization_url,
    token_url: token_url ?? row.token_url,
    revocation_url: revocation_url ?? (isOwn ? null : row.revocation_url),
    issuer: issuer ?? (isOwn || authorization_url !== undefined ? null : row.issuer),
    hosts: set.hosts ?? (isOwn ? [...new Set(ownHosts)] : row.hosts),
    account: account ?? (isOwn ? null : row.account),
  }
}

/** Undefined: the provider does not exist, or this server has no client there. */
export function nativeClient(config: Pick<Config, 'oauth'>, name: string): NativeClient | undefined {
  const row = providerNamed(name)
  if (!row) return undefined
  // each setting of its own goes before the one that it may share, so that an instance of one's own is set once
  const set = { ...config.oauth[row.settings_of ?? ''], ...config.oauth[name] }
  const { client_id, client_secret } = set
  if (client_id === undefined || client_secret === undefined) return undefined
  const provider: Provider = { ...row, ...ofInstance(row, set), scopes: config.oauth[name]?.scopes ?? row.scopes }
  return {
    provider,
    server: {
      issuer: provider.issuer,
      authorization_endpoint: provider.authorization_url,
      token_endpoint: provider.token_url,
      revocation_endpoint: provider.revocation_url,
      registration_endpoint: null,
      // known only of a server that the operator named
      sends_iss: set.issuer !== undefined,
      auth_methods: [provider.auth_method],
      scopes_supported: null,
      takes_metadata_document: false,
      code_challenge_methods: null,
    },
    client: { client_id, client_secret, auth_method: provider.auth_method },
  }
}

/**
 * The client that a grant was made with. Undefined: the settings are gone, or of another client by now, whose secret the grant's server must not
 * see.
 */
export function clientOfGrant(
  config: Pick<Config, 'oauth'>,
  name: string,
  { client_id, server }: Pick<OAuthFacts, 'client_id' | 'server'>,
): NativeClient | undefined {
  const native = nativeClient(config, name)
  const isSame = native?.client.client_id === client_id && native.server.token_endpoint === server.token_endpoint
  return isSame ? native : undefined
}

/** The providers that this server has a client for. */
export const configuredProviders = (config: Pick<Config, 'oauth'>): Provider[] =>
  providers.flatMap(({ name }) => nativeClient(config, name)?.provider ?? [])

const prefixOf = (name: string): string => `OAUTH_${name.toUpperCase().replaceAll('-', '_')}`

/** Sentences on settings that have no effect: most often a misspelling, which would otherwise do nothing, silently. */
export function idleSettings({ oauth }: Pick<Config, 'oauth'>): string[] {
  return Object.entries(oauth).flatMap(([name, { client_id, client_secret }]) => {
    const prefix = prefixOf(name)
    if (!providerNamed(name))
      return [`${prefix}_… is set, but there is no provider ${name}; docs/providers.md lists them.`]
    const isHalf = (client_id === undefined) !== (client_secret === undefined)
    return isHalf ? [`${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET are of use only together.`] : []
  })
}

/** What an operator has to set before it can be used. */
export const settingsWanted = ({ name, settings_of }: Provider): string => {
  const own = `${prefixOf(name)}_CLIENT_ID and ${prefixOf(name)}_CLIENT_SECRET`
  return settings_of === undefined ? own : `${own} (or ${prefixOf(settings_of)}_CLIENT_ID and _CLIENT_SECRET)`
}

/** Whether one of these hosts is meant; a host without a port means the usual one. */
export function isOwnHost(hosts: readonly string[], { host, hostname, port }: URL): boolean {
  return hosts.some((own) => (own.startsWith('*.') ? port === '' && hostname.endsWith(own.slice(1)) : own === host))
}
