// An MCP client for the official conformance suite: our own drivers, with a headless browser where a person would agree.
import { importPKCS8 } from 'jose'
import { clientCredentialsGrantRequest, genericTokenEndpointRequest, None, PrivateKeyJwt } from 'oauth4webapi'
import { McpUnauthorized, openMcp, type McpSession } from '../../src/drivers/mcp/mcp.ts'
import { ask, type Door } from '../../src/drivers/oauth/answer.ts'
import { discover, type Discovered } from '../../src/drivers/oauth/discover.ts'
import { readGrant, requireAccepted } from '../../src/drivers/oauth/grant.ts'
import {
  authOf,
  authorizationUrl,
  libraryServer,
  newVerifier,
  redeemCode,
  requireS256,
  type AuthorizationServer,
  type OAuthClient,
} from '../../src/drivers/oauth/oauth.ts'
import { registerClient } from '../../src/drivers/oauth/register.ts'

/** What a scenario tells its client beforehand. */
export interface Given {
  client_id?: string
  client_secret?: string
  private_key_pem?: string
  signing_algorithm?: string
  idp_client_id?: string
  idp_id_token?: string
  idp_issuer?: string
  idp_token_endpoint?: string
}

interface Play {
  scenario: string
  url: string
  given: Given
  door: Door
}

const redirectUri = 'http://127.0.0.1:4700/oauth/callback'
/** The document that the suite expects; our server has its own. */
const metadataDocument = 'https://conformance-test.local/client-metadata.json'
const attemptsMax = 3

async function talk(session: McpSession, signal: AbortSignal): Promise<void> {
  for (const { name, input_schema } of await session.listTools()) {
    const { properties = {} } = input_schema as { properties?: Record<string, unknown> }
    const args = Object.fromEntries(Object.keys(properties).map((key, index) => [key, index + 2]))
    await session.callTool(name, args, { signal, callId: 'conformance:1' })
  }
  await session.close()
}

/** What our service does between a refused call and the call made again, in a row and without people. */
export async function play(asked: Play): Promise<void> {
  const { url, door } = asked
  let token: string | undefined
  const scopes = new Set<string>()
  for (let attempt = 0; ; attempt++) {
    try {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return await talk(await openMcp({ url, transport: null, headers }, door), door.signal)
    } catch (error) {
      if (!(error instanceof McpUnauthorized) || attempt === attemptsMax) throw error
      const found = await discover(url, door, error.challenge)
      for (const scope of found.scopes) scopes.add(scope)
      token = await authorise(asked, found, [...scopes])
    }
  }
}

async function authorise(asked: Play, found: Discovered, scopes: string[]): Promise<string> {
  const { scenario, given, door } = asked
  const { server } = found
  if (!server) throw new Error('the server wants no OAuth')
  if (scenario.startsWith('auth/client-credentials')) return clientCredentials(asked, server, found.resource)
  if (given.idp_id_token !== undefined) return crossAppAccess(asked, server, found.resource)
  requireS256(server)
  const client = await ownClient(asked, server)
  const state = crypto.randomUUID()
  const verifier = newVerifier()
  const resource = found.resource ?? undefined
  const page = authorizationUrl({ server, client, redirectUri, state, verifier, scopes, resource })
  const answer = await door.fetch(page, { redirect: 'manual', signal: door.signal })
  const back = new URL(answer.headers.get('location')!)
  const code = { server, client, redirectUri, state, verifier, callback: back.searchParams, resource }
  return (await redeemCode(code, door)).access_token
}

async function ownClient({ given, door }: Play, server: AuthorizationServer): Promise<OAuthClient> {
  if (given.client_id !== undefined) return preregistered(given, server)
  if (server.takes_metadata_document) return { client_id: metadataDocument, client_secret: null, auth_method: 'none' }
  return registerClient(server, { redirectUri, name: 'Runyard' }, door)
}

function preregistered(given: Given, { auth_methods }: AuthorizationServer): OAuthClient {
  const isPost = auth_methods?.includes('client_secret_post') && !auth_methods.includes('client_secret_basic')
  const auth_method = isPost ? 'client_secret_post' : 'client_secret_basic'
  return { client_id: given.client_id!, client_secret: given.client_secret!, auth_method }
}

/** RFC 6749 §4.4, with a secret or a signed assertion (RFC 7523 §2.2). */
async function clientCredentials(
  { given, door }: Play,
  server: AuthorizationServer,
  resource: string | null,
): Promise<string> {
  const { client_id = '', private_key_pem: pem, signing_algorithm: algorithm = 'ES256' } = given
  const auth =
    pem === undefined ? authOf(preregistered(given, server)) : PrivateKeyJwt(await importPKCS8(pem, algorithm))
  const answer = await ask(door, { endpoint: server.token_endpoint, what: 'token endpoint' }, (options) =>
    clientCredentialsGrantRequest(
      libraryServer(server),
      { client_id },
      auth,
      resource === null ? {} : { resource },
      options,
    ),
  )
  return readGrant(answer, 'the server', []).access_token
}

/** An identity of the company's own provider for a grant there (RFC 8693), and that for a token here (RFC 7523 §2.1). */
async function crossAppAccess(
  { given, url, door }: Play,
  server: AuthorizationServer,
  resource: string | null,
): Promise<string> {
  const { idp_client_id = '', idp_id_token = '', idp_issuer = '', idp_token_endpoint = '' } = given
  const idp = { ...server, issuer: idp_issuer, token_endpoint: idp_token_endpoint }
  const exchanged = await ask(door, { endpoint: idp_token_endpoint, what: 'token endpoint' }, (options) =>
    genericTokenEndpointRequest(
      libraryServer(idp),
      { client_id: idp_client_id },
      None(),
      'urn:ietf:params:oauth:grant-type:token-exchange',
      {
        subject_token: idp_id_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        audience: server.issuer!,
        resource: resource ?? url,
      },
      options,
    ),
  )
  const assertion = String(requireAccepted(exchanged, 'the identity provider', [])['access_token'])
  const client = preregistered(given, server)
  const answer = await ask(door, { endpoint: server.token_endpoint, what: 'token endpoint' }, (options) =>
    genericTokenEndpointRequest(
      libraryServer(server),
      { client_id: client.client_id },
      authOf(client),
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      { assertion },
      options,
    ),
  )
  return readGrant(answer, 'the server', []).access_token
}
