// A real authorization server on loopback for tests: codes with PKCE, rotating refresh tokens, revocation, registration, resources.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Provider } from 'oidc-provider'

export interface OauthServer {
  issuer: string
  /** A client that the operator made there. */
  client: { client_id: string; client_secret: string }
  endpoints: { authorization: string; token: string; revocation: string; registration: string; account: string }
  /** Grants of codes and of refresh tokens that were served so far. */
  served: { codes: number; refreshes: number; revocations: number }
  /** Who agrees from now on; null: they say no. */
  account: string | null
  /** How long access tokens that are issued from now on are good. */
  accessTokenS: number
  /** Takes back everything that anyone agreed to. */
  revokeAll(): Promise<void>
  /** What a resource server asks of a token; undefined: it is no good. */
  find(token: string): Promise<{ account: string; scopes: string[]; audience: string | null } | undefined>
  /** Goes through the authorisation as a person's browser would; gives the address that the browser is sent back to. */
  agree(authorizationUrl: string): Promise<URL>
  close(): Promise<void>
}

interface Options {
  /** Where the operator's client may be sent back to. */
  redirectUris?: string[]
  /** Scopes beside openid and offline_access. */
  scopes?: string[]
}

const client = { client_id: 'operator-client', client_secret: 'operator-client-secret-0123456789abcdef' }

export async function startOauthServer({
  redirectUris = [],
  scopes = ['read', 'write'],
}: Options = {}): Promise<OauthServer> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const grants: string[] = []
  const server: OauthServer = {
    issuer,
    client,
    endpoints: {
      authorization: `${issuer}/auth`,
      token: `${issuer}/token`,
      revocation: `${issuer}/token/revocation`,
      registration: `${issuer}/reg`,
      account: `${issuer}/me`,
    },
    served: { codes: 0, refreshes: 0, revocations: 0 },
    account: 'ada@example.com',
    accessTokenS: 3600,
    async revokeAll() {
      for (const id of grants.splice(0)) await (await provider.Grant.find(id))?.destroy()
    },
    async find(token) {
      const found = await provider.AccessToken.find(token)
      const isGranted = found?.grantId !== undefined && (await provider.Grant.find(found.grantId)) !== undefined
      if (!found || found.isExpired || !isGranted) return undefined
      const audience = [found.aud].flat()[0] ?? null
      return { account: found.accountId, scopes: found.scope?.split(' ') ?? [], audience }
    },
    agree: (authorizationUrl) => agree(issuer, authorizationUrl),
    close: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  const provider = new Provider(issuer, configuration(server, redirectUris, scopes))
  provider.on('server_error', (_ctx, error) => console.error('the OAuth server of the test failed', error))
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.['grant_type'] === 'refresh_token') server.served.refreshes++
    else server.served.codes++
  })
  const serve = provider.callback()
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'POST' && request.url === '/token/revocation') server.served.revocations++
    const answered = request.url?.startsWith('/interaction/')
      ? decide(provider, server, grants, request, response)
      : serve(request, response)
    answered.catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  after(() => server.close())
  return server
}

/** What a person does on the provider's own pages: logs in and agrees to everything that is asked, or refuses. */
async function decide(
  provider: Provider,
  server: OauthServer,
  grants: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const asked = params as Record<string, string | undefined>
  if (server.account === null) {
    const refusal = { error: 'access_denied', error_description: 'The person said no.' }
    return provider.interactionFinished(request, response, refusal)
  }
  const grant = new provider.Grant({ accountId: server.account, clientId: asked['client_id']! })
  if (asked['scope']) grant.addOIDCScope(asked['scope'])
  if (asked['resource'] && asked['scope']) grant.addResourceScope(asked['resource'], asked['scope'])
  const grantId = await grant.save()
  grants.push(grantId)
  const login = { accountId: server.account, remember: false }
  await provider.interactionFinished(request, response, { login, consent: { grantId } })
}

async function agree(issuer: string, authorizationUrl: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(authorizationUrl)
  for (let hop = 0; hop < 10; hop++) {
    if (url.origin !== issuer) return url
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`the OAuth server shows a page: ${answer.status} ${await answer.text()}`)
    url = new URL(location, url)
  }
  throw new Error('the OAuth server sends the browser in circles')
}

function configuration(server: OauthServer, redirectUris: string[], scopes: string[]): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ttl = () => server.accessTokenS
  return {
    adapter: memoryAdapter(),
    clients: redirectUris.length === 0 ? [] : [{ ...client, redirect_uris: redirectUris, ...usual }],
    clientDefaults: usual,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: 'test' }] },
    cookies: { keys: ['a key for the cookies of a test'] },
    scopes: ['openid', 'offline_access', ...scopes],
    claims: { openid: ['sub', 'email', 'email_verified', 'role'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: ttl,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
      IdToken: 600,
    },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: async (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId, email: accountId, ...saidOf(accountId) }),
    }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => undefined,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_ctx: unknown, resource: string) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: server.accessTokenS,
          accessTokenFormat: 'opaque',
        }),
      },
    },
  }
}

/** `unverified@…` has not shown that the address is theirs; `operator@…` has a role there. */
const saidOf = (account: string): object => ({
  email_verified: !account.startsWith('unverified@'),
  ...(account.startsWith('operator@') && { role: ['staff', 'operator'] }),
})

type Stored = Record<string, unknown> & { uid?: string; grantId?: string; consumed?: number }

/** Its own would warn on every start that it is none for production. */
function memoryAdapter() {
  const rows = new Map<string, Stored>()
  return (model: string) => {
    const key = (id: string) => `${model} ${id}`
    const mine = () => [...rows].filter(([name]) => name.startsWith(`${model} `))
    return {
      upsert: async (id: string, row: Stored) => void rows.set(key(id), row),
      find: async (id: string) => rows.get(key(id)),
      findByUid: async (uid: string) => mine().find(([, row]) => row.uid === uid)?.[1],
      findByUserCode: async () => undefined,
      consume: async (id: string) =>
        void Object.assign(rows.get(key(id)) ?? {}, { consumed: Math.floor(Date.now() / 1000) }),
      destroy: async (id: string) => void rows.delete(key(id)),
      revokeByGrantId: async (grantId: string) => {
        for (const [name, row] of mine()) if (row.grantId === grantId) rows.delete(name)
      },
    }
  }
}

const usual = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  id_token_signed_response_alg: 'ES256',
}
