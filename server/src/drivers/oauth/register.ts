// Dynamic registration of ourselves as a client of an authorization server (RFC 7591).
import { dynamicClientRegistrationRequest } from 'oauth4webapi'
import { ask, type Door } from './answer.ts'
import { GrantRefused, OAuthTrouble } from './failures.ts'
import { requireAccepted } from './grant.ts'
import { libraryServer, type AuthorizationServer, type OAuthClient } from './oauth.ts'

export type Registered = OAuthClient & { expires_at: Date | null }

/** The methods in the order of preference: this service can store a secret, so it authenticates with one if it can. */
const methods = ['client_secret_basic', 'client_secret_post', 'none'] as const

export async function registerClient(
  server: AuthorizationServer,
  asked: { redirectUri: string; name: string; scopes?: string[] },
  door: Door,
): Promise<Registered> {
  const host = new URL(server.token_endpoint).hostname
  const method = methodFor(server.auth_methods)
  if (!method) {
    throw new GrantRefused(
      `${host} takes clients only by ${server.auth_methods?.join(', ')}; Runyard can prove itself by ${methods.join(', ')}.`,
    )
  }
  const { redirectUri, name, scopes } = asked
  const answer = await ask(door, { endpoint: server.registration_endpoint, what: 'registration endpoint' }, (options) =>
    dynamicClientRegistrationRequest(
      libraryServer(server),
      {
        client_name: name,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: method,
        // OpenID's registration accepts a loopback URL over http from native applications only
        application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
        ...(scopes && scopes.length > 0 && { scope: scopes.join(' ') }),
      },
      options,
    ),
  )
  return readRegistration(requireAccepted(answer, host, []), host)
}

/** RFC 8414 §2: a server that does not say takes client_secret_basic. */
function methodFor(offered: string[] | null): OAuthClient['auth_method'] | undefined {
  return offered === null ? 'client_secret_basic' : methods.find((method) => offered.includes(method))
}

function readRegistration(body: Record<string, unknown>, host: string): Registered {
  const { client_id, client_secret, client_secret_expires_at: expires, token_endpoint_auth_method: told } = body
  if (typeof client_id !== 'string' || client_id === '') throw new OAuthTrouble(`${host} registered no client id.`)
  const secret = typeof client_secret === 'string' && client_secret !== '' ? client_secret : null
  const method = methods.find((one) => one === told) ?? 'client_secret_basic'
  return {
    client_id,
    client_secret: secret,
    auth_method: secret === null ? 'none' : method,
    // zero: never (RFC 7591 §3.2.1)
    expires_at: typeof expires === 'number' && expires > 0 ? new Date(expires * 1000) : null,
  }
}
