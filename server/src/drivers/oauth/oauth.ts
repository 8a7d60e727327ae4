// OAuth 2.1 as its client: authorisation with PKCE, redeeming a code, refreshing and revoking a grant.
import { createHash } from 'node:crypto'
import {
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  generateRandomCodeVerifier,
  None,
  nopkce,
  refreshTokenGrantRequest,
  revocationRequest,
  ClientSecretPost,
  validateAuthResponse,
  type AuthorizationServer as LibraryServer,
  type ClientAuth,
} from 'oauth4webapi'
import { ask, type Answer, type Door } from './answer.ts'
import { GrantRefused } from './failures.ts'
import { cleaned, readGrant, requireAccepted, type Grant } from './grant.ts'
import { secureUrl } from './secureUrl.ts'

export type { Door } from './answer.ts'
export type { Grant } from './grant.ts'
export { GrantRefused, OAuthTrouble } from './failures.ts'

/** What is known about an authorization server, from its metadata or from our table of providers. */
export interface AuthorizationServer {
  /** Null: none is known. */
  issuer: string | null
  authorization_endpoint: string
  token_endpoint: string
  revocation_endpoint: string | null
  registration_endpoint: string | null
  /** Whether it names itself in its answers (RFC 9207): then an answer without a name is a forgery. */
  sends_iss: boolean
  /** How a client may prove itself at the token endpoint; null: it does not say. */
  auth_methods: string[] | null
  scopes_supported: string[] | null
  /** Whether a client id may be the URL of a document about the client. */
  takes_metadata_document: boolean
  /** Null: it has no metadata that says so. */
  code_challenge_methods: string[] | null
}

export interface OAuthClient {
  client_id: string
  client_secret: string | null
  auth_method: 'client_secret_basic' | 'client_secret_post' | 'none'
}

export const newVerifier = (): string => generateRandomCodeVerifier()

/** MCP's authorization chapter: a server whose metadata does not list S256 does not support PKCE, and must be refused. */
export function requireS256({ code_challenge_methods, authorization_endpoint }: AuthorizationServer): void {
  if (code_challenge_methods === null || code_challenge_methods.includes('S256')) return
  const host = new URL(authorization_endpoint).hostname
  throw new GrantRefused(
    `${host} does not say that it supports PKCE with S256 (code_challenge_methods_supported), which MCP requires. Ask its operator to add it.`,
  )
}

/** Where a person is sent to allow it. */
export function authorizationUrl(asked: {
  server: AuthorizationServer
  client: Pick<OAuthClient, 'client_id'>
  redirectUri: string
  state: string
  /** Null: without PKCE, for the few servers that refuse it. */
  verifier: string | null
  scopes: string[]
  scopeSeparator?: string | undefined
  resource?: string | undefined
  extra?: Record<string, string> | undefined
}): URL {
  const url = secureUrl(asked.server.authorization_endpoint, 'authorization endpoint')
  const parameters: Record<string, string | undefined> = {
    ...asked.extra,
    response_type: 'code',
    client_id: asked.client.client_id,
    redirect_uri: asked.redirectUri,
    state: asked.state,
    ...(asked.verifier !== null && {
      code_challenge: createHash('sha256').update(asked.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
    scope: asked.scopes.join(asked.scopeSeparator ?? ' ') || undefined,
    resource: asked.resource,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}

/** Exchanges the code that the browser came back with for tokens; refuses an answer with another state or of another server. */
export async function redeemCode(
  asked: {
    server: AuthorizationServer
    client: OAuthClient
    redirectUri: string
    state: string
    verifier: string | null
    callback: URLSearchParams
    resource?: string | undefined
  },
  door: Door,
): Promise<Grant> {
  const { server, client, verifier } = asked
  const parameters = requireOwnAnswer(asked)
  const answer = await ask(door, tokenEndpoint(server), (options) =>
    authorizationCodeGrantRequest(
      libraryServer(server),
      idOf(client),
      authOf(client),
      parameters,
      asked.redirectUri,
      verifier ?? nopkce,
      { ...options, additionalParameters: resourceParameter(asked.resource) },
    ),
  )
  return grantOf(server, answer, [client.client_secret, verifier, parameters.get('code')])
}

export async function refreshGrant(
  asked: { server: AuthorizationServer; client: OAuthClient; refreshToken: string; resource?: string | undefined },
  door: Door,
): Promise<Grant> {
  const { server, client, refreshToken } = asked
  const answer = await ask(door, tokenEndpoint(server), (options) =>
    refreshTokenGrantRequest(libraryServer(server), idOf(client), authOf(client), refreshToken, {
      ...options,
      additionalParameters: resourceParameter(asked.resource),
    }),
  )
  return grantOf(server, answer, [client.client_secret, refreshToken])
}

/** Does nothing if the server has no endpoint for it (RFC 7009). */
export async function revokeGrant(
  { server, client, token }: { server: AuthorizationServer; client: OAuthClient; token: string },
  door: Door,
): Promise<void> {
  const { revocation_endpoint: endpoint } = server
  if (endpoint === null) return
  const answer = await ask(door, { endpoint, what: 'revocation endpoint' }, (options) =>
    revocationRequest(libraryServer(server), idOf(client), authOf(client), token, options),
  )
  if (answer.status === 200 || answer.status === 204) return
  // the token is gone already; RFC 7009 §2.2 wants a 200 then, but Google answers with this
  if (answer.body?.['error'] === 'invalid_token') return
  requireAccepted(answer, new URL(endpoint).hostname, [client.client_secret, token])
}

/** State and issuer are checked before anything else: nothing of a forged answer is shown. */
function requireOwnAnswer({
  server,
  client,
  callback,
  state,
}: {
  server: AuthorizationServer
  client: OAuthClient
  callback: URLSearchParams
  state: string
}): URLSearchParams {
  const parameters = new URLSearchParams(callback)
  // there is nothing to compare it with, and a server that begins to send an issuer must not lock everybody out
  if (server.issuer === null) parameters.delete('iss')
  const host = new URL(server.authorization_endpoint).hostname
  const foreign = new GrantRefused(`The answer does not belong to this authorisation with ${host}. Start it again.`)
  let own: URLSearchParams
  try {
    own = validateAuthResponse(libraryServer(server), idOf(client), parameters, state)
  } catch (error) {
    if (!(error instanceof AuthorizationResponseError)) throw foreign
    const said = cleaned(error.error_description ?? '', [])
    throw new GrantRefused(`${host} refused: ${cleaned(error.error, [])}${said ? ` (${said})` : ''}.`, error.error)
  }
  const [code, ...more] = own.getAll('code')
  if (!code || more.length > 0) throw foreign
  return own
}

const tokenEndpoint = ({ token_endpoint }: AuthorizationServer) => ({
  endpoint: token_endpoint,
  what: 'token endpoint',
})

const grantOf = (server: AuthorizationServer, answer: Answer, secrets: (string | null)[]): Grant =>
  readGrant(answer, new URL(server.token_endpoint).hostname, secrets)

const idOf = ({ client_id }: OAuthClient) => ({ client_id })

const resourceParameter = (resource: string | undefined): Record<string, string> =>
  resource === undefined ? {} : { resource }

export const libraryServer = (server: AuthorizationServer): LibraryServer => ({
  issuer: server.issuer ?? new URL(server.token_endpoint).origin,
  token_endpoint: server.token_endpoint,
  authorization_response_iss_parameter_supported: server.sends_iss,
  ...(server.revocation_endpoint !== null && { revocation_endpoint: server.revocation_endpoint }),
  ...(server.registration_endpoint !== null && { registration_endpoint: server.registration_endpoint }),
})

export function authOf({ client_secret, auth_method }: OAuthClient): ClientAuth {
  if (auth_method === 'none' || client_secret === null) return None()
  return auth_method === 'client_secret_post' ? ClientSecretPost(client_secret) : basicAuth(client_secret)
}

// RFC 6749 §2.3.1 has both parts form-encoded. The library also encodes - . _ which that does not ask for, and which
// servers that take the header as it stands would then not recognise.
function basicAuth(secret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = `${formEncoded(client_id)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
