// Where a connection's credential may be sent: to its own hosts, over a connection that nobody else can read.
import { isSecure } from '../../../drivers/oauth/secureUrl.ts'
import type { Context } from '../../../kit/context.ts'
import type { Vaulted } from './credential.ts'
import { isOwnHost, nativeClient } from '../providers/nativeClient.ts'
import { providerNamed } from '../providers/providers.ts'

type Placed = Pick<Vaulted, 'name' | 'type' | 'provider' | 'server_url'>

/** The account's own server, if it has one, replaces the provider's hosts. */
function hostsOf({ config }: Context, { type, provider, server_url }: Placed): readonly string[] {
  if (server_url !== null) return [new URL(server_url).host]
  if (type !== 'native') return []
  return nativeClient(config, provider)?.provider.hosts ?? providerNamed(provider)?.hosts ?? []
}

/** A sentence if the credential may not be sent to this URL; undefined: it may. */
export function foreignHost(context: Context, connection: Placed, address: string): string | undefined {
  const url = URL.parse(address)
  if (!url) return 'The url is not a valid URL. Give a complete one, such as https://api.example.com/items.'
  const hosts = hostsOf(context, connection)
  if (!isOwnHost(hosts, url)) {
    return `The connection ${connection.name} is for ${hosts.join(', ') || 'no host'} only, not for ${url.host}. Call that without the connection.`
  }
  if (!isSecure(url)) return `The connection ${connection.name} is used by https only.`
  return undefined
}
