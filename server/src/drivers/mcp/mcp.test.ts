// Talking to real MCP servers: either protocol era, sessions, the older SSE; refusals, limits, and where a credential may go.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startMcpServer } from '../../../test/fakes/mcpServer.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { createOutbound } from '../../base/outbound/fetch.ts'
import { createGuard } from '../../base/outbound/guard.ts'
import { McpTrouble, McpUnauthorized, openMcp } from './mcp.ts'
import { proves } from '../../../test/kit/proves.ts'

const outbound = createOutbound(createGuard({ allowPrivateHosts: ['127.0.0.1'] }))
after(outbound.close)
const { signal } = new AbortController()
const door = { fetch: outbound.fetch, signal }
const call = { signal, callId: 'run:7' }

const open = (url: string, headers: Record<string, string> = {}, transport: 'http' | 'sse' | null = null) =>
  openMcp({ url, transport, headers }, door)

/** Answers each JSON-RPC request as the test says; undefined: the test answers it itself. */
async function odd(
  answer: (method: string, cursor: string | undefined, response: ServerResponse) => unknown,
): Promise<string> {
  const http = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const {
        id,
        method = '',
        params,
      } = JSON.parse(body || '{}') as { id?: number; method?: string; params?: { cursor?: string } }
      if (id === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end()
      const said = id === undefined ? undefined : answer(method, params?.cursor, response)
      if (said === undefined) return
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(typeof said === 'string' ? said : JSON.stringify({ jsonrpc: '2.0', id, ...(said as object) }))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  after(() => http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}

const older = (method: string): object | undefined => {
  const capabilities = { tools: {} }
  const serverInfo = { name: 'odd', version: '1' }
  if (method === 'initialize') return { result: { protocolVersion: '2025-06-18', capabilities, serverInfo } }
  return method === 'server/discover' ? { error: { code: -32601, message: 'Method not found' } } : undefined
}

const newer = (method: string): object | undefined => {
  const about = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }
  return method === 'server/discover' ? { result: { resultType: 'complete', ...about } } : undefined
}

for (const [speaks, transport] of [
  ['both', 'http'],
  ['sessions', 'http'],
  ['sse', 'sse'],
] as const) {
  proves('mcpClient.eras', `tools of a server that speaks ${speaks} are listed and called`, async () => {
    const input_schema = { type: 'object', properties: { text: { type: 'string' } } }
    const tools = [
      { name: 'echo', title: 'Echo', description: 'Repeats.', input_schema, annotations: { readOnlyHint: true } },
    ]
    const server = await startMcpServer({ speaks, tools, wantsHeader: { name: 'x-key', value: 'open-sesame' } })
    const session = await open(server.url, { 'x-key': 'open-sesame' })
    assert.equal(session.transport, transport)
    assert.deepEqual(await session.listTools(), [
      { name: 'echo', title: 'Echo', description: 'Repeats.', input_schema, annotations: { readOnlyHint: true } },
    ])
    const answer = await session.callTool('echo', { text: 'hello' }, call)
    assert.equal(answer.is_error, false)
    assert.deepEqual(answer.content, [{ type: 'text', text: '{"text":"hello"}' }])
    assert.deepEqual(server.calls[0]!.callId, 'run:7')
    await session.close()
    if (speaks === 'both')
      assert.ok(
        server.requests.every(({ rpc }) => rpc !== 'initialize'),
        'the newer era has no handshake',
      )
    if (speaks === 'sessions') assert.equal(server.requests.at(-1)!.method, 'DELETE', 'the session is closed')
  })
}

proves(
  'mcpClient.session',
  'a session that the server forgot is opened again, and each call is made once',
  async () => {
    const server = await startMcpServer({ speaks: 'sessions' })
    const session = await open(server.url)
    await session.callTool('echo', { n: 1 }, call)
    server.forgetSessions()
    await Promise.all([2, 3, 4].map((n) => session.callTool('echo', { n }, call)))
    const numbers = server.calls.map((one) => one.arguments['n'])
    assert.deepEqual(
      numbers.toSorted((a, b) => Number(a) - Number(b)),
      [1, 2, 3, 4],
    )
    assert.equal(server.requests.filter(({ rpc }) => rpc === 'initialize').length, 2)
    server.forgetSessions()
    server.broken = { status: 404 }
    await assert.rejects(session.callTool('echo', { n: 5 }, call), McpTrouble)
    server.broken = null
    await session.callTool('echo', { n: 6 }, call)
    await session.close()
  },
)

for (const speaks of ['both', 'sessions', 'sse'] as const) {
  proves(
    'mcpClient.cut',
    `a connection that breaks off ends the call that waited for it, and the next call works: ${speaks}`,
    async () => {
      const server = await startMcpServer({ speaks })
      const session = await open(server.url)
      server.tools = [{ name: 'fatal', answer: () => (server.cut(), 'never heard') }, { name: 'echo' }]
      await assert.rejects(session.callTool('fatal', {}, call), {
        name: 'McpTrouble',
        message: /closed the connection/,
      })
      assert.equal((await session.callTool('echo', {}, call)).is_error, false)
      await session.close()
    },
  )
}

test('a stream that ends without the answer ends the call', async () => {
  for (const [isOlder, isTorn] of [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ]) {
    const url = await odd((method, _cursor, response) => {
      const known = isOlder ? older(method) : newer(method)
      if (known) return known
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': so far\n\n')
      if (isTorn) setImmediate(() => response.destroy())
      else response.end()
      return undefined
    })
    const session = await open(url)
    await assert.rejects(session.callTool('x', {}, call), { name: 'McpTrouble', message: /closed the connection/ })
    await session.close()
  }
})

proves('mcpClient.refused', 'a refused credential is reported with what the server wants instead', async () => {
  const challenge =
    'Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="https://x.test/prm"'
  for (const status of [401, 403] as const) {
    const server = await startMcpServer()
    server.broken = { status, headers: { 'www-authenticate': challenge } }
    await assert.rejects(open(server.url, { authorization: 'Bearer a-secret-token' }), (error) => {
      assert.ok(error instanceof McpUnauthorized)
      assert.equal(error.status, status)
      assert.deepEqual(error.challenge, {
        error: 'insufficient_scope',
        scope: 'files:read files:write',
        resource_metadata: 'https://x.test/prm',
      })
      return true
    })
  }
  const stream = await startMcpServer({ speaks: 'sse', wantsHeader: { name: 'x-key', value: 'right' } })
  await assert.rejects(open(stream.url, { 'x-key': 'wrong' }, 'sse'), McpUnauthorized)
})

proves('mcpClient.hostile', 'servers that answer nonsense, without end or with a lie end in a sentence', async () => {
  const endless = await odd((method, cursor) => {
    const nextCursor = String(Number(cursor ?? 0) + 1)
    return (
      older(method) ?? { result: { tools: [{ name: `t${nextCursor}`, inputSchema: { type: 'object' } }], nextCursor } }
    )
  })
  const nonsense = await odd((method) => older(method) ?? '<html>hello</html>')
  const lies = await odd((method) => older(method) ?? { result: { tools: [{ name: 7 }] } })
  for (const url of [endless, nonsense, lies]) {
    const session = await open(url)
    await assert.rejects(session.listTools(), McpTrouble)
    await session.close()
  }
  await assert.rejects(open(await odd(() => 'nothing of the kind')), McpTrouble)
  const echoing = await odd(
    (method) => older(method) ?? { error: { code: -32603, message: 'bad token a-secret-token' } },
  )
  const session = await open(echoing, { authorization: 'Bearer a-secret-token' })
  await assert.rejects(session.listTools(), { name: 'McpTrouble', message: /refused: .*bad token …\.$/ })
  const refused = await session.callTool('x', {}, call)
  assert.deepEqual(refused.content, [{ type: 'text', text: 'bad token …' }])
  await session.close()
})

test('a call that the credential may not make is refused, and the session continues', async () => {
  const find = async () => ({ scopes: ['read'], audience: server.url })
  const tools = [{ name: 'look' }, { name: 'change', scope: 'write' }]
  const server = await startMcpServer({ tools, protectedBy: { issuer: 'http://127.0.0.1:9', find } })
  const session = await open(server.url, { authorization: 'Bearer some-token' })
  await assert.rejects(session.callTool('change', {}, call), (error) => {
    assert.ok(error instanceof McpUnauthorized && error.status === 403)
    assert.equal(error.challenge.scope, 'write')
    return true
  })
  assert.equal((await session.callTool('look', {}, call)).is_error, false)
  await session.close()
  await assert.rejects(session.listTools(), { name: 'McpTrouble', message: /is closed/ })
})

test('an error of the server is its answer, unlike a server that is away', async () => {
  const server = await startMcpServer()
  const session = await open(server.url)
  const missing = await session.callTool('nothing', {}, call)
  assert.equal(missing.is_error, true)
  server.broken = { status: 503 }
  await assert.rejects(session.callTool('echo', {}, call), { name: 'McpTrouble', message: /answered 503/ })
  await server.close()
  await assert.rejects(open(server.url), { name: 'McpTrouble', message: /(refused|closed) the connection/ })
})

proves('mcpClient.limits', 'lists that are too long or too large are refused', async () => {
  const server = await startMcpServer({ tools: Array.from({ length: 501 }, (_, n) => ({ name: `tool_${n}` })) })
  const session = await open(server.url)
  await assert.rejects(session.listTools(), { name: 'McpTrouble', message: /501 tools; at most 500/ })
  const large = { type: 'object', description: 'x'.repeat(65 * 1024) }
  server.tools = [{ name: 'wide', input_schema: large }]
  await assert.rejects(session.listTools(), { name: 'McpTrouble', message: /The tool wide .* schema/ })
  server.tools = Array.from({ length: 80 }, (_, n) => ({ name: `tool_${n}`, description: 'x'.repeat(64 * 1024) }))
  await assert.rejects(session.listTools(), { name: 'McpTrouble', message: /too much/ })
  server.tools = [{ name: 'twice' }, { name: 'twice' }]
  await assert.rejects(session.listTools(), { name: 'McpTrouble', message: /two tools of one name/ })
  await session.close()
})

proves(
  'mcpClient.credential',
  'a credential goes to its own server alone: no redirect elsewhere, no plain http, no foreign endpoint',
  async () => {
    const elsewhere = await startReceiver()
    const server = await startMcpServer()
    const secret = { authorization: 'Bearer a-secret-token' }
    server.broken = { status: 307, headers: { location: `${elsewhere.url}/mcp` } }
    await assert.rejects(open(server.url, secret), McpTrouble)
    const stream = `event: endpoint\ndata: ${elsewhere.url}/messages\n\n`
    server.broken = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: stream }
    await assert.rejects(open(server.url, secret, 'sse'), McpTrouble)
    await assert.rejects(open('http://mcp.example.com/', secret), { message: /must be reached by https/ })
    assert.equal(elsewhere.received.length, 0)
  },
)

proves('mcpClient.guard', 'an address that the guard refuses is never dialled', async () => {
  const listener = await startReceiver()
  const closed = createOutbound(createGuard({ allowPrivateHosts: [] }))
  after(closed.close)
  const refused = openMcp({ url: `${listener.url}/mcp`, transport: null, headers: {} }, { fetch: closed.fetch, signal })
  await assert.rejects(refused, { name: 'McpTrouble', message: /loopback address/ })
  assert.equal(listener.received.length, 0)
})

test('a call ends with its caller, and a session with its door', async () => {
  const server = await startMcpServer()
  const stop = new AbortController()
  const session = await openMcp(
    { url: server.url, transport: 'http', headers: {} },
    { fetch: outbound.fetch, signal: stop.signal },
  )
  const gone = new AbortController()
  server.tools = [{ name: 'slow', answer: () => (gone.abort(new Error('the caller went')), 'late') }]
  await assert.rejects(session.callTool('slow', {}, { signal: gone.signal, callId: 'a' }), /the caller went/)
  stop.abort(new Error('the run was stopped'))
  await assert.rejects(session.callTool('slow', {}, call), /the run was stopped/)
  await assert.rejects(session.listTools(), /the run was stopped/)
})
