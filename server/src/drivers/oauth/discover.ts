// How a protected MCP server wants to be authorised: from its own challenge and metadata to its authorization server.
import { runyardVersion } from '../../base/version.ts'
import { within, type Door, type Json } from './answer.ts'
import { challengeOf, type Challenge } from './challenge.ts'
import { fetchDocument } from './document.ts'
import { OAuthTrouble } from './failures.ts'
import type { AuthorizationServer } from './oauth.ts'
import { secureUrl } from './secureUrl.ts'

export interface Discovered {
  /** The resource for which tokens are asked (RFC 8707); null: the server has no metadata that names it. */
  resource: string | null
  /** The scopes to ask for first. */
  scopes: string[]
  /** Null: it wants no OAuth. */
  server: AuthorizationServer | null
}

const nothing: Discovered = { resource: null, scopes: [], server: null }
const serversMax = 3

/** `hint`: the challenge that the server answered with; without it the server is asked for one. */
export async function discover(
  mcpServerUrl: string,
  door: Door,
  hint?: Pick<Challenge, 'resource_metadata' | 'scope'>,
): Promise<Discovered> {
  const url = new URL(mcpServerUrl)
  const challenge = hint ?? (await askForChallenge(url, door))
  const resource = await resourceMetadata(url, door, challenge)
  if (resource) {
    const named = coveringResource(resource, url)
    const scopes = wordsOf(challenge?.scope) ?? stringsOf(resource['scopes_supported']) ?? []
    const server = await firstServer(resource, door)
    return { resource: named, scopes: withOfflineAccess(scopes, server), server }
  }
  // before 2025-06-18 the server's own origin was its authorization server; an open server must not be taken for one
  if (!challenge) return nothing
  const server = (await serverMetadata(url.origin, door, isSameOrigin)) ?? defaultServer(url.origin)
  return { resource: null, scopes: wordsOf(challenge.scope) ?? [], server }
}

/** A connection outlives its first token: where the server offers it by this name, a refresh token is asked for. */
function withOfflineAccess(scopes: string[], { scopes_supported }: AuthorizationServer): string[] {
  if (scopes.length === 0 || !scopes_supported?.includes('offline_access')) return scopes
  return [...new Set([...scopes, 'offline_access'])]
}

/** Undefined: no authorisation is needed. A GET comes first, which has no effect; some servers check credentials only in a POST. */
async function askForChallenge(url: URL, door: Door): Promise<Challenge | undefined> {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'runyard', version: runyardVersion },
    },
  }
  const first = await headersOf(url, door, { method: 'GET', headers: { accept: 'text/event-stream' } })
  if (first.status === 401) return challengeOf(first.headers)
  const second = await headersOf(url, door, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(initialize),
  })
  if (second.status === 401) return challengeOf(second.headers)
  const session = second.headers.get('mcp-session-id')
  if (session !== null) await headersOf(url, door, { method: 'DELETE', headers: { 'mcp-session-id': session } })
  return undefined
}

/** The body is not read: it may be a stream without an end. */
function headersOf(url: URL, door: Door, init: RequestInit): Promise<{ status: number; headers: Headers }> {
  return within(door, url, async (signal) => {
    const { body, status, headers } = await door.fetch(url, { ...init, signal })
    await body?.cancel()
    return new Response(null, { status, headers })
  })
}

/** RFC 9728 §3.1 and §5.1: where the challenge says, else at the well-known path followed by the server's path, else without that. */
async function resourceMetadata(url: URL, door: Door, challenge: Challenge | undefined): Promise<Json | undefined> {
  if (challenge?.resource_metadata !== undefined) {
    const at = secureUrl(challenge.resource_metadata, 'resource_metadata URL')
    const document = await fetchDocument(at, door)
    if (!document) throw new OAuthTrouble(`There is no metadata at ${at.href}, which ${url.hostname} names.`)
    return document
  }
  const base = '/.well-known/oauth-protected-resource'
  const path = url.pathname.replace(/\/$/, '')
  for (const place of new Set([`${base}${path}`, base])) {
    const document = await fetchDocument(secureUrl(new URL(place, url.origin).href, 'URL'), door)
    if (document && typeof document['resource'] === 'string') return document
  }
  return undefined
}

/**
 * The document must be about this server: the same origin, and its path or one above it. Otherwise it could make us ask for tokens of
 * another server.
 */
function coveringResource(document: Json, url: URL): string {
  const named = typeof document['resource'] === 'string' ? document['resource'] : ''
  const resource = URL.parse(named)
  const covers = resource?.origin === url.origin && withSlash(url.pathname).startsWith(withSlash(resource.pathname))
  // RFC 8707 §2: a resource has no fragment
  if (covers && resource?.hash === '') return named
  throw new OAuthTrouble(
    `The metadata of ${url.host} is for another resource${resource ? ` (${resource.origin}${resource.pathname})` : ''}; it must name ${url.origin}${url.pathname} or a part of it.`,
  )
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

async function firstServer(document: Json, door: Door): Promise<AuthorizationServer> {
  const issuers = (stringsOf(document['authorization_servers']) ?? []).slice(0, serversMax)
  const [first] = issuers
  if (first === undefined) throw new OAuthTrouble('The metadata of the server names no authorization server.')
  for (const issuer of issuers) {
    const server = await serverMetadata(issuer, door)
    if (server) return server
  }
  throw new OAuthTrouble(`The authorization server ${new URL(first).host} publishes no metadata.`)
}

/** RFC 8414 §3.1, then OpenID Connect Discovery both ways, in the order of MCP's authorization chapter. */
async function serverMetadata(
  issuer: string,
  door: Door,
  isMeant: (found: URL, asked: URL) => boolean = isSame,
): Promise<AuthorizationServer | undefined> {
  const { origin, pathname } = secureUrl(issuer, 'authorization server')
  const path = pathname.replace(/\/$/, '')
  const places = new Set([
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ])
  for (const place of places) {
    const document = await fetchDocument(new URL(place, origin), door)
    if (document && typeof document['token_endpoint'] === 'string') return readServer(document, issuer, isMeant)
  }
  return undefined
}

/** RFC 8414 §3.3: otherwise one server could present the endpoints of another as its own. */
const isSame = (found: URL, asked: URL): boolean => found.href === asked.href
/** The rule of the revision 2025-03-26, where no issuer is named anywhere: only the origin must match. */
const isSameOrigin = (found: URL, asked: URL): boolean => found.origin === asked.origin

function readServer(document: Json, asked: string, isMeant: typeof isSame): AuthorizationServer {
  const { issuer } = document
  const found = typeof issuer === 'string' ? URL.parse(issuer) : null
  if (typeof issuer !== 'string' || !found || !isMeant(found, new URL(asked))) {
    throw new OAuthTrouble(`The metadata of ${new URL(asked).host} is that of another issuer.`)
  }
  const endpoint = (name: string): string => secureUrl(document[name], name).href
  const optional = (name: string): string | null => (document[name] === undefined ? null : endpoint(name))
  return {
    issuer,
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint: endpoint('token_endpoint'),
    revocation_endpoint: optional('revocation_endpoint'),
    registration_endpoint: optional('registration_endpoint'),
    sends_iss: document['authorization_response_iss_parameter_supported'] === true,
    auth_methods: stringsOf(document['token_endpoint_auth_methods_supported']) ?? null,
    scopes_supported: stringsOf(document['scopes_supported']) ?? null,
    takes_metadata_document: document['client_id_metadata_document_supported'] === true,
    code_challenge_methods: stringsOf(document['code_challenge_methods_supported']) ?? [],
  }
}

/** The endpoints of the revision 2025-03-26, for servers without any metadata; that revision has PKCE for all. */
function defaultServer(origin: string): AuthorizationServer {
  const at = (path: string): string => secureUrl(`${origin}${path}`, 'URL').href
  return {
    issuer: null,
    authorization_endpoint: at('/authorize'),
    token_endpoint: at('/token'),
    revocation_endpoint: null,
    registration_endpoint: at('/register'),
    sends_iss: false,
    auth_methods: null,
    scopes_supported: null,
    takes_metadata_document: false,
    code_challenge_methods: null,
  }
}

const wordsOf = (text: string | undefined): string[] | undefined =>
  text === undefined ? undefined : text.split(' ').filter((word) => word !== '')

function stringsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((one) => typeof one === 'string').slice(0, 500)
}
