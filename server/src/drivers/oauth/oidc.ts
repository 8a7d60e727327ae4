// OpenID Connect as its client: finds the provider, and turns the answer that a browser brings back into verified claims.
import {
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  validateApplicationLevelSignature,
  getValidatedIdTokenClaims,
  allowInsecureRequests,
  customFetch,
  type AuthorizationServer as LibraryServer,
} from 'oauth4webapi'
import { within, type Door, type Json } from './answer.ts'
import { fetchDocument } from './document.ts'
import { GrantRefused, OAuthTrouble } from './failures.ts'
import { libraryServer, redeemCode, type AuthorizationServer, type OAuthClient } from './oauth.ts'
import { secureUrl } from './secureUrl.ts'

export interface OidcProvider extends AuthorizationServer {
  issuer: string
  jwks_uri: string
  userinfo_endpoint: string | null
  /** How it signs ID tokens. */
  id_token_algorithms: string[]
}

/** OpenID Connect Discovery §4. The document must be about this issuer, so that no server stands in for another. */
export async function findProvider(issuer: string, door: Door): Promise<OidcProvider> {
  const { origin, pathname, hostname } = secureUrl(issuer, 'issuer')
  const at = new URL(`${origin}${pathname.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const document = await fetchDocument(at, door)
  if (!document) throw new OAuthTrouble(`${hostname} publishes no OpenID Connect metadata.`)
  const named = document['issuer']
  if (typeof named !== 'string' || named.replace(/\/$/, '') !== issuer.replace(/\/$/, '')) {
    throw new OAuthTrouble(`The metadata of ${hostname} is that of another issuer.`)
  }
  const endpoint = (name: string): string => secureUrl(document[name], name).href
  const texts = (name: string): string[] | null => {
    const value = document[name]
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null
  }
  return {
    issuer: named,
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint: endpoint('token_endpoint'),
    jwks_uri: endpoint('jwks_uri'),
    userinfo_endpoint: document['userinfo_endpoint'] === undefined ? null : endpoint('userinfo_endpoint'),
    revocation_endpoint: null,
    registration_endpoint: null,
    sends_iss: document['authorization_response_iss_parameter_supported'] === true,
    auth_methods: texts('token_endpoint_auth_methods_supported'),
    id_token_algorithms: texts('id_token_signing_alg_values_supported') ?? ['RS256'],
    scopes_supported: null,
    takes_metadata_document: false,
    code_challenge_methods: null,
  }
}

interface Asked {
  provider: OidcProvider
  client: OAuthClient
  redirectUri: string
  state: string
  nonce: string
  verifier: string
  callback: URLSearchParams
  /** The claims that are needed. */
  claims: string[]
}

/** Issuer, audience, times, nonce and signature of the ID token are checked; claims that it lacks come from the userinfo endpoint. */
export async function redeemIdentity(asked: Asked, door: Door): Promise<Json> {
  const { provider, client, nonce } = asked
  const grant = await redeemCode({ ...asked, server: provider }, door)
  const server: LibraryServer = {
    ...libraryServer(provider),
    jwks_uri: provider.jwks_uri,
    id_token_signing_alg_values_supported: provider.id_token_algorithms,
  }
  const response = jsonResponse(grant.raw)
  const claims = await verified(provider, async () => {
    const { client_id } = client
    const tokens = await processAuthorizationCodeResponse(server, { client_id }, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await validateApplicationLevelSignature(server, response, {
      [customFetch]: boundedFetch(door),
      [allowInsecureRequests]: secureUrl(provider.jwks_uri, 'jwks_uri').protocol === 'http:',
      signal: door.signal,
    })
    const found = getValidatedIdTokenClaims(tokens)
    if (!found) throw new Error('the answer has no ID token')
    return found
  })
  const isComplete = asked.claims.every((name) => Object.hasOwn(claims, name))
  if (isComplete || provider.userinfo_endpoint === null) return claims
  return { ...(await userInfo(asked, server, { token: grant.access_token, subject: claims.sub }, door)), ...claims }
}

async function userInfo(
  { provider, client: { client_id } }: Asked,
  server: LibraryServer,
  { token, subject }: { token: string; subject: string },
  door: Door,
): Promise<Json> {
  const url = secureUrl(provider.userinfo_endpoint, 'userinfo endpoint')
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const answer = await within(door, url, (signal) => door.fetch(url, { headers, redirect: 'manual', signal }))
  return verified(provider, () =>
    processUserInfoResponse(server, { client_id }, subject, jsonResponse(answer.body ?? null, answer.status)),
  )
}

const jsonResponse = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** What a check finds is a refusal: the same answer would fail again. */
async function verified<T>({ token_endpoint }: OidcProvider, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof OAuthTrouble) throw error
    const host = new URL(token_endpoint).hostname
    throw new GrantRefused(`The answer of ${host} could not be verified. Start it again.`)
  }
}

/** For what the library fetches itself: bounded like every other exchange. */
const boundedFetch =
  (door: Door) =>
  async (url: string, { headers }: { headers: Record<string, string> }): Promise<Response> => {
    const send = (signal: AbortSignal) => door.fetch(url, { headers, redirect: 'manual', signal })
    const { status, body } = await within(door, secureUrl(url, 'jwks_uri'), send)
    return jsonResponse(body ?? null, status)
  }
