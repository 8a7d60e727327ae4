// Connecting an MCP server by OAuth, the whole way: discovery, a client of our own, agreement, tokens for that server alone.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startMcpServer } from '../../../../test/fakes/mcpServer.ts'
import { startOauthServer } from '../../../../test/fakes/oauthServer.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { openSecret } from '../store/secret.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const base = await service.listen()
const { config } = service.context
const oauth = await startOauthServer()
const tools = [{ name: 'look' }, { name: 'change', scope: 'write' }]
const mcp = await startMcpServer({ protectedBy: oauth, scopes: ['read'], tools })
const team = await seedTeam(service)

const check = (mcp_server_url: string) =>
  team.call('POST /v2/connections/oauth/mcp/check', { body: { mcp_server_url } })
const authorize = (body: object, by = team) => by.call('POST /v2/teams/:teamId/connections/oauth/mcp/start', { body })
const probe = (body: object) => team.call('POST /v2/teams/:teamId/connections/mcp/probe', { body })
const comeBack = (url: URL) => fetch(url, { redirect: 'manual' })
const parametersOf = (address: string) => new URL(address).searchParams

async function connect(body: { name: string; [field: string]: unknown }): Promise<string> {
  const begun = await authorize({ mcp_server_url: mcp.url, ...body })
  assert.equal(begun.status, 201, begun.text)
  const page = await comeBack(await oauth.agree(begun.body.authorization_url))
  assert.equal(page.status, 200, await page.text())
  const { body: all } = await team.call('GET /v2/teams/:teamId/connections')
  return all.integrations[0].id
}

const rowsOf = async () => {
  const [count] = await team.sql<{ rows: number }>`
    select (select count(*) from connections) + (select count(*) from oauth_flows) + (select count(*) from oauth_registrations) as rows`
  return count!.rows
}

/** A server that answers paths with documents, for metadata that no honest server has. */
async function serveDocuments(make: (origin: string) => Record<string, unknown>): Promise<string> {
  const http = createServer((request, response) => {
    const document = documents[request.url!]
    if (request.url === '/mcp') return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    if (document === undefined) return void response.writeHead(404).end()
    if (typeof document === 'string') return void response.writeHead(302, { location: document }).end()
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  after(() => http.close())
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const documents = make(origin)
  return origin
}

const resourcePath = '/.well-known/oauth-protected-resource/mcp'
const serverPath = '/.well-known/oauth-authorization-server'
const serverOf = (origin: string, other: object = {}) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ['S256'],
  ...other,
})
const resourceOf = (origin: string, other: object = {}) => ({
  resource: `${origin}/mcp`,
  authorization_servers: [origin],
  ...other,
})

proves('connections.mcpCheck', 'checking finds how a server is authorised, and keeps nothing', async () => {
  const before = await rowsOf()
  const { status, body } = await check(mcp.url)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    supports_oauth: true,
    supports_dcr: true,
    authorization_endpoint: oauth.endpoints.authorization,
    token_endpoint: oauth.endpoints.token,
    registration_endpoint: oauth.endpoints.registration,
    scopes: ['read', 'offline_access'],
    resource: mcp.url,
    error: null,
  })
  const open = await startMcpServer()
  assert.deepEqual(
    { ...(await check(open.url)).body },
    {
      ...body,
      supports_oauth: false,
      supports_dcr: false,
      authorization_endpoint: null,
      token_endpoint: null,
      registration_endpoint: null,
      scopes: [],
      resource: null,
    },
  )
  await open.close()
  const gone = await check(open.url)
  assert.equal(gone.body.supports_oauth, false)
  assert.match(gone.body.error, /connection/)
  assert.equal(await rowsOf(), before)
  const refused = await check('http://169.254.169.254/mcp')
  assert.equal(refused.body.error, 'url_not_allowed')
})

proves(
  'connections.mcp',
  'an MCP server is connected: registered once, agreed to, and its token is for that server alone',
  async () => {
    const id = await connect({ name: 'Wiki' })
    const { body } = await team.call(`GET /v2/connections/${id}`)
    assert.partialDeepStrictEqual(body.connection, {
      name: 'Wiki',
      type: 'mcp',
      provider: new URL(mcp.url).host,
      server_url: mcp.url,
      auth_method: 'oauth',
      status: 'active',
      tools_count: 2,
    })
    const [row] = await team.sql<{ secret: Buffer }>`select secret from connections where id = ${id}`
    const secret = openSecret(service.context.keyring, id, row!.secret)
    assert.ok(secret.kind === 'oauth')
    assert.equal((await oauth.find(secret.access_token))?.audience, mcp.url)
    const begun = await authorize({ mcp_server_url: mcp.url, name: 'Another wiki' })
    const asked = parametersOf(begun.body.authorization_url)
    assert.equal(asked.get('resource'), mcp.url)
    assert.equal(asked.get('code_challenge_method'), 'S256')
    assert.equal(asked.get('redirect_uri'), `${base}/oauth/callback`)
    const [kept] = await team.sql<{ client_id: string; client_secret: Buffer }>`
    select client_id, client_secret from oauth_registrations where team_id = ${team.id}`
    assert.equal(asked.get('client_id'), kept!.client_id, 'the second time it is known already')
    assert.ok(!kept!.client_secret.includes(secret.client_secret!))
    const other = await seedTeam(service)
    const theirs = await authorize({ mcp_server_url: mcp.url, name: 'Wiki' }, other)
    assert.notEqual(parametersOf(theirs.body.authorization_url).get('client_id'), kept!.client_id)
  },
)

proves(
  'connections.mcpStepUp',
  'a connection is authorised again for more: the same connection, with the scopes that a refused call asked for',
  async () => {
    const id = await connect({ name: 'Narrow' })
    await team.sql`update connections set oauth = oauth || '{"wanted_scopes": ["write"]}' where id = ${id}`
    const foreign = await startMcpServer({ protectedBy: oauth })
    const elsewhere = await authorize({ mcp_server_url: foreign.url, reconnect_connection_id: id })
    assert.deepEqual([elsewhere.status, elsewhere.body.error], [400, 'invalid_request'])
    const begun = await authorize({ mcp_server_url: mcp.url, reconnect_connection_id: id })
    assert.equal(begun.body.connection_id, id)
    const scopes = parametersOf(begun.body.authorization_url).get('scope')!.split(' ')
    assert.deepEqual(
      scopes.toSorted((a, b) => a.localeCompare(b)),
      ['offline_access', 'read', 'write'],
    )
    await comeBack(await oauth.agree(begun.body.authorization_url))
    const { body } = await team.call(`GET /v2/connections/${id}`)
    assert.equal(body.connection.name, 'Narrow')
    assert.ok(body.connection.scopes.includes('write'))
    const stranger = await seedTeam(service)
    assert.equal((await authorize({ mcp_server_url: mcp.url, reconnect_connection_id: id }, stranger)).status, 404)
  },
)

proves('connections.mcpMixUp', 'an answer that another server signed is refused, and the flow is spent', async () => {
  const before = await rowsOf()
  const { body } = await authorize({ mcp_server_url: mcp.url, name: 'Mixed up' })
  const back = await oauth.agree(body.authorization_url)
  const mixedUp = new URL(back)
  mixedUp.searchParams.set('iss', 'https://evil.example.com')
  const { codes } = oauth.served
  const page = await comeBack(mixedUp)
  assert.equal(page.status, 400)
  assert.match(await page.text(), /does not belong to this authorisation/)
  assert.equal((await comeBack(back)).status, 400)
  assert.deepEqual([await rowsOf(), oauth.served.codes], [before, codes])
})

test('a connection that was refused is authorised again as a new client: the server may have forgotten the old one', async () => {
  const id = await connect({ name: 'Forgotten' })
  const wanted = { mcp_server_url: mcp.url, reconnect_connection_id: id }
  const clientIn = async () => parametersOf((await authorize(wanted)).body.authorization_url).get('client_id')
  const known = await clientIn()
  assert.equal(await clientIn(), known)
  await team.sql`update connections set status = 'action_required' where id = ${id}`
  assert.notEqual(await clientIn(), known)
})

proves(
  'connections.mcpClient',
  'without registration our own document is the client where there is one, and else a client must be given',
  async () => {
    const closed = await serveDocuments((origin) => ({
      [resourcePath]: resourceOf(origin),
      [serverPath]: serverOf(origin, { registration_endpoint: undefined, client_id_metadata_document_supported: true }),
    }))
    const wanted = { mcp_server_url: `${closed}/mcp`, name: 'Closed' }
    const refused = await authorize(wanted)
    assert.equal(refused.body.error, 'provider_not_configured')
    assert.match(refused.body.message, new RegExp(`redirect URI ${base}/oauth/callback`))
    const given = await authorize({ ...wanted, client_id: 'made-there', client_secret: 'a-secret-of-theirs' })
    assert.equal(parametersOf(given.body.authorization_url).get('client_id'), 'made-there')
    assert.equal((await fetch(`${base}/oauth/client.json`)).status, 404)
    config.publicUrl = 'https://runyard.example.com'
    try {
      const ours = await authorize(wanted)
      const address = parametersOf(ours.body.authorization_url).get('client_id')
      assert.equal(address, 'https://runyard.example.com/oauth/client.json')
      const document = await (await fetch(`${base}/oauth/client.json`)).json()
      assert.partialDeepStrictEqual(document, {
        client_id: address,
        redirect_uris: ['https://runyard.example.com/oauth/callback'],
        token_endpoint_auth_method: 'none',
      })
    } finally {
      config.publicUrl = undefined
    }
  },
)

proves(
  'connections.mcpMetadata',
  'metadata that does not belong to the server is refused, and nobody is sent anywhere',
  async () => {
    const metadata: [RegExp, (origin: string) => Record<string, unknown>][] = [
      [
        /another resource/,
        (o) => ({
          [resourcePath]: resourceOf(o, { resource: 'https://evil.example.com/mcp' }),
          [serverPath]: serverOf(o),
        }),
      ],
      [
        /another resource/,
        (o) => ({ [resourcePath]: resourceOf(o, { resource: `${o}/mcp/other` }), [serverPath]: serverOf(o) }),
      ],
      [
        /another issuer/,
        (o) => ({ [resourcePath]: resourceOf(o), [serverPath]: serverOf(o, { issuer: 'https://evil.example.com' }) }),
      ],
      [
        /S256/,
        (o) => ({
          [resourcePath]: resourceOf(o),
          [serverPath]: serverOf(o, { code_challenge_methods_supported: ['plain'] }),
        }),
      ],
      [
        /S256/,
        (o) => ({
          [resourcePath]: resourceOf(o),
          [serverPath]: serverOf(o, { code_challenge_methods_supported: undefined }),
        }),
      ],
      [
        /must be an https URL/,
        (o) => ({
          [resourcePath]: resourceOf(o),
          [serverPath]: serverOf(o, { token_endpoint: 'http://evil.example.com/t' }),
        }),
      ],
      [/no authorization server/, (o) => ({ [resourcePath]: resourceOf(o, { authorization_servers: [] }) })],
      [/publishes no metadata/, (o) => ({ [resourcePath]: resourceOf(o) })],
      [/redirects too often/, (o) => ({ [resourcePath]: `${o}${resourcePath}` })],
      [/which is not https/, () => ({ [resourcePath]: 'http://example.com/' })],
    ]
    const before = await rowsOf()
    for (const [why, make] of metadata) {
      const origin = await serveDocuments(make)
      const { status, body } = await authorize({ mcp_server_url: `${origin}/mcp`, name: 'Odd' })
      assert.deepEqual([status, body.error], [409, 'conflict'])
      assert.match(body.message, why)
    }
    assert.equal(await rowsOf(), before)
  },
)

proves(
  'connections.mcpGuard',
  'metadata that leads to a private address is refused by the guard, which dials nothing',
  async () => {
    let dialled = 0
    const inside = createServer().on('connection', () => dialled++)
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve))
    after(() => inside.close())
    const at = `http://127.0.0.2:${(inside.address() as AddressInfo).port}`
    for (const make of [
      (o: string) => ({ [resourcePath]: resourceOf(o, { authorization_servers: [at] }) }),
      () => ({ [resourcePath]: `${at}/metadata` }),
      (o: string) => ({
        [resourcePath]: resourceOf(o),
        [serverPath]: serverOf(o, { registration_endpoint: `${at}/register` }),
      }),
    ]) {
      const origin = await serveDocuments(make)
      const { status, body } = await authorize({ mcp_server_url: `${origin}/mcp`, name: 'Sly' })
      assert.deepEqual([status, body.error], [400, 'url_not_allowed'])
    }
    assert.equal(dialled, 0)
  },
)

test('what cannot be begun says so: no OAuth, a taken name, a return address of strangers, no public address', async () => {
  const open = await startMcpServer()
  const none = await authorize({ mcp_server_url: open.url, name: 'Open' })
  assert.deepEqual([none.status, none.body.error], [409, 'conflict'])
  assert.match(none.body.message, /createConnection/)
  await connect({ name: 'Taken' })
  assert.equal((await authorize({ mcp_server_url: mcp.url, name: 'Taken' })).body.error, 'duplicate_name')
  assert.equal((await authorize({ mcp_server_url: mcp.url })).status, 400)
  const away = { mcp_server_url: mcp.url, name: 'Away', return_url: 'https://evil.example.com/' }
  assert.equal((await authorize(away)).body.error, 'invalid_request')
  assert.equal((await authorize({ ...away, return_url: undefined, mcp_server_url: 'file:///etc/passwd' })).status, 400)
  const { host } = config
  config.host = '0.0.0.0'
  const lost = await authorize({ mcp_server_url: mcp.url, name: 'Lost' })
  config.host = host
  assert.equal(lost.body.error, 'public_url_missing')
})

proves(
  'connections.probe',
  'a server is tried before a connection is made: its tools, or why it cannot be used',
  async () => {
    const keyed = await startMcpServer({
      wantsHeader: { name: 'x-key', value: 'right-key-123' },
      tools: [{ name: 'look', description: 'Looks.' }],
    })
    const good = await probe({ server_url: keyed.url, headers: { 'X-Key': 'right-key-123' } })
    assert.deepEqual(good.body, {
      success: true,
      transport: 'http',
      tools: [{ name: 'look', title: null, description: 'Looks.', input_schema: { type: 'object' } }],
    })
    const bad = await probe({ server_url: keyed.url })
    assert.equal(bad.status, 200)
    assert.equal(bad.body.success, false)
    assert.match(bad.body.error, /does not accept the credential.*checkMcpOAuth/)
    await keyed.close()
    assert.equal((await probe({ server_url: keyed.url })).body.success, false)
    assert.equal((await probe({ server_url: 'no address' })).body.error, 'invalid_request')
    assert.equal((await probe({ server_url: 'http://10.0.0.1/mcp' })).body.error, 'url_not_allowed')
    const clear = await probe({ server_url: 'http://example.com/mcp', api_key: 'a-key-in-clear' })
    assert.deepEqual([clear.status, clear.body.error], [400, 'invalid_request'])
  },
)
