// Which client Runyard is at the authorization server of an MCP server: one that was given, its own document, or a registration.
import { Fault } from '../../../base/errors.ts'
import type { AuthorizationServer, Door, OAuthClient } from '../../../drivers/oauth/oauth.ts'
import { registerClient, type Registered } from '../../../drivers/oauth/register.ts'
import type { Context } from '../../../kit/context.ts'
import { clientDocumentUrl } from './clientMetadata.ts'
import { findRegistration, type RegistrationKey } from './registration.ts'

interface Sought {
  given: { client_id: string; client_secret: string | null } | undefined
  server: AuthorizationServer
  key: RegistrationKey
  /** The connection was refused: its client may be what the server no longer knows. */
  isRefused: boolean
}

/** In the order of MCP's authorization chapter. `registered`: it is new and must be stored. */
export async function ownClient(
  { given, server, key, isRefused }: Sought,
  context: Context,
  door: Door,
): Promise<{ client: OAuthClient; registered?: Registered }> {
  if (given) return { client: { ...given, auth_method: methodOf(given.client_secret, server) } }
  const document = clientDocumentUrl(context)
  if (document !== null && server.takes_metadata_document) {
    return { client: { client_id: document, client_secret: null, auth_method: 'none' } }
  }
  const kept = isRefused ? undefined : await findRegistration(context.db.sql, context, key)
  if (kept) return { client: kept }
  if (server.registration_endpoint === null) {
    throw new Fault(
      'provider_not_configured',
      `${new URL(key.issuer).host} does not let clients register themselves. Make a client there with the redirect URI ${key.redirect_uri}, ` +
        'and send its client_id, with its client_secret if it has one.',
    )
  }
  const registered = await registerClient(server, { redirectUri: key.redirect_uri, name: 'Runyard' }, door)
  return { client: registered, registered }
}

/** RFC 8414 §2: a server that does not say takes client_secret_basic. */
function methodOf(secret: string | null, { auth_methods }: AuthorizationServer): OAuthClient['auth_method'] {
  if (secret === null) return 'none'
  return (auth_methods?.includes('client_secret_basic') ?? true) ? 'client_secret_basic' : 'client_secret_post'
}
