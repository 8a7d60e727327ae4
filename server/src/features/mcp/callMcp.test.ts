// The hosted MCP endpoint as a transport: messages that are none, hosts that are not ours, limits, both eras of the protocol.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { requireOwnAddress } from '../../kit/hostCheck.ts'
import { rpc } from '../../../test/kit/mcp.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { runWithFile, seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const service = await testApp({ address })
const team = await seedTeam(service)
const baseUrl = await service.listen()
const endpoint = new URL(`${baseUrl}/v2/mcp?schemas=1`)
const requestInit = { headers: { authorization: `Bearer ${team.key}` } }

describe('official clients, over HTTP', () => {
  const clients = {
    'of 2026-07-28': async () => {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }))
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
      return client
    },
    'of the era before, new package': async () => {
      const client = new Client({ name: 'test', version: '1.0.0' })
      await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }))
      assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
      return client
    },
    'of the era before, old package': async () => {
      const client = new OlderClient({ name: 'test', version: '1.0.0' })
      await client.connect(new OlderTransport(endpoint, { requestInit }))
      return client as unknown as Client
    },
  }
  for (const [which, connect] of Object.entries(clients)) {
    proves('mcp.clients', `${which}: list and call tools, read resources, get and complete prompts`, async () => {
      const agent = await seeders['agent']!(team, {})
      const path = await seeders['path']!(team, { agent })
      const run = await runWithFile(team, { agent })
      const client = await connect()
      assert.equal(client.getServerVersion()?.name, 'runyard')
      assert.ok((await client.listTools()).tools.some(({ name }) => name === 'waitForRun'))
      const started = await client.callTool({ name: 'startRun', arguments: { agent_id: agent } })
      const { run_id } = started.structuredContent as { run_id: string }
      const refused = await client.callTool({ name: 'getRun', arguments: { run_id: 'nothing' } })
      assert.equal(refused.isError, true)

      const { resources } = await client.listResources()
      assert.equal(resources[0]!.uri, `runyard://runs/${run_id}`)
      assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 4)
      const [read] = (await client.readResource({ uri: `runyard://runs/${run_id}` })).contents
      assert.equal(JSON.parse((read as { text: string }).text).run_id, run_id)
      const [file] = (await client.readResource({ uri: `runyard://runs/${run}/files/out/report.md` })).contents
      assert.equal((file as { text: string }).text, '# Report')
      const uri = `runyard://agents/${agent}/memory/${encodeURIComponent(path)}`
      const [note] = (await client.readResource({ uri })).contents
      assert.equal((note as { text: string }).text, 'One thing to remember.')
      const artifact = await seeders['artifact']!(team, {})
      const [page] = (await client.readResource({ uri: `runyard://artifacts/${artifact}` })).contents
      assert.match((page as { text: string }).text, /Seeded/)
      assert.ok((await client.listResources()).resources.some((one) => one.uri === `runyard://artifacts/${artifact}`))
      await assert.rejects(client.readResource({ uri: 'runyard://runs/nothing' }), /not found/i)

      assert.equal((await client.listPrompts()).prompts.length, 3)
      const prompt = await client.getPrompt({ name: 'start_run', arguments: { agent: 'Invoices' } })
      assert.match((prompt.messages[0]!.content as { text: string }).text, /“Invoices”.*startRun/)
      await assert.rejects(client.getPrompt({ name: 'triage_queue' }), /queue is missing/)
      const completed = await client.complete({
        ref: { type: 'ref/prompt', name: 'start_run' },
        argument: { name: 'agent', value: agent.slice(0, 20) },
      })
      assert.ok(completed.completion.values.includes(agent))
      await client.close()
    })
  }
})

const send = (body: unknown, headers = {}) => team.call('POST /v2/mcp', { body, headers })

describe('a message', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const newer = (method: string, params: object = {}) => ({
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
  })
  proves('mcp.malformed', 'that is not JSON-RPC at all is refused with a 400 in our error shape', async () => {
    const bodies: [body: string, says: RegExp][] = [
      ['', /not a JSON-RPC 2.0 message/],
      ['{"a":', /not valid JSON/],
      ['{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\u0000"}}', /NUL/],
      [`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, /nested deeper/],
      ['7', /not a JSON-RPC 2.0 message/],
      ['null', /not a JSON-RPC 2.0 message/],
      ['[]', /not a JSON-RPC 2.0 message/],
      ['{}', /not a JSON-RPC 2.0 message/],
      ['{"method": "tools/list"}', /not a JSON-RPC 2.0 message/],
    ]
    for (const [body, says] of bodies) {
      const answer = await send(body)
      assert.equal(answer.status, 400, body)
      assert.deepEqual(Object.keys(answer.body), ['error', 'message'], answer.text)
      assert.equal(answer.body.error, 'invalid_request')
      assert.match(answer.body.message, says)
    }
  })

  proves(
    'mcp.malformed',
    'that is malformed JSON-RPC is refused in the protocol’s words, with a 400 and what to do about it',
    async () => {
      const bodies: [body: string, code: number, says: RegExp][] = [
        ['[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600, /one message, not an array/],
        ['{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, /jsonrpc /],
        ['{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600, /id /],
        ['{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600, /method /],
        ['{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600, /params /],
        ['{"jsonrpc": "2.0"}', -32600, /neither a request/],
      ]
      for (const [body, code, says] of bodies) {
        const answer = await send(body)
        assert.equal(answer.status, 400, body)
        assert.equal(answer.body.error.code, code, answer.text)
        assert.match(answer.body.error.message, says)
      }
    },
  )

  proves(
    'mcp.protocolErrors',
    'that asks for what is not there is answered by an error of the protocol, never by a failure',
    async () => {
      const unknown: [method: string, params: object, code: number][] = [
        ['no/such/method', {}, -32601],
        ['subscriptions/listen', {}, -32601],
        ['tools/call', { name: 'no_such_tool' }, -32602],
        ['tools/call', {}, -32602],
        ['tools/call', { name: 7 }, -32602],
        ['tools/call', { name: 'getRun', arguments: [] }, -32602],
        ['prompts/get', { name: 'no_such_prompt' }, -32602],
        ['completion/complete', {}, -32602],
        ['resources/read', { uri: 7 }, -32602],
      ]
      for (const [method, params, code] of unknown) {
        const older = await rpc(team, method, params)
        assert.equal(older.body.error.code, code, `${method}: ${older.text}`)
        const { body, headers } = newer(method, params)
        const { name, uri } = params as { name?: string; uri?: string }
        const answer = await send(body, { ...headers, 'mcp-name': name ?? uri ?? '' })
        assert.ok(answer.body.error && answer.status < 500, `${method}: ${answer.text}`)
      }
      for (const uri of [
        'runyard://',
        'runyard://runs/%',
        'runyard://cheese/1',
        'file:///etc/passwd',
        'x'.repeat(9000),
      ]) {
        assert.ok((await rpc(team, 'resources/read', { uri })).body.error, uri.slice(0, 50))
      }
    },
  )

  proves('mcp.notification', 'that wants no answer gets a 202, and GET is not offered', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', id: 7, result: {} },
    ]) {
      const answer = await send(body)
      assert.deepEqual([answer.status, answer.text], [202, ''])
    }
    const get = await team.call('GET /v2/mcp')
    assert.deepEqual([get.status, get.body.error, get.headers['allow']], [405, 'method_not_allowed', 'POST'])
  })

  proves('mcp.versions', 'of a revision that nobody knows is refused with those that are', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const older = await send(ping, { 'mcp-protocol-version': '1999-01-01' })
    assert.equal(older.status, 400)
    assert.match(older.body.error.message, /2025-11-25/)
    const { body } = newer('tools/list')
    const claimed = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2999-01-01' }
    const later = { ...body, params: { _meta: claimed } }
    const answer = await send(later, { 'mcp-protocol-version': '2999-01-01', 'mcp-method': 'tools/list' })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.error.data.supported, ['2026-07-28'])
  })
})

/** With headers as they stand, where a test client would set its own. */
function post(headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', authorization: `Bearer ${team.key}`, ...headers }
    const asked = request(endpoint, { method: 'POST', headers: all }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => resolve({ status: answer.statusCode!, text }))
    })
    asked.on('error', reject)
    asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  })
}

proves(
  'mcp.hosts',
  'a Host that is not ours and a page of another origin are refused before anything else',
  async () => {
    const { host, port, origin } = endpoint
    for (const headers of [{ host }, { host: `localhost:${port}` }, { host: `[::1]:${port}` }, { host, origin }]) {
      assert.equal((await post(headers)).status, 200, JSON.stringify(headers))
    }
    const strangers = [
      { host: 'evil.example.com' },
      { host: `evil.example.com:${port}`, origin: `http://evil.example.com:${port}` },
      { host: '127.0.0.1.evil.example.com' },
      { host, origin: 'http://evil.example.com' },
      { host, origin: 'null' },
      { host, origin: 'http://localhost:1' },
    ]
    for (const headers of strangers) {
      const { status, text } = await post({ ...headers, authorization: 'Bearer nobody' })
      assert.equal(status, 403, JSON.stringify(headers))
      assert.equal(JSON.parse(text).error, 'forbidden')
    }
  },
)

proves('mcp.hosts', 'behind a public address that name is ours too, whatever the port and the proxy', () => {
  const own = 'https://runs.example.com'
  for (const host of ['runs.example.com', 'runs.example.com:8443', '10.0.0.5:4700', 'runyard:4700', 'localhost']) {
    assert.doesNotThrow(() => requireOwnAddress(own, host, undefined), host)
  }
  assert.doesNotThrow(() => requireOwnAddress(own, 'runyard:4700', own))
  for (const host of [undefined, '', 'example.com', 'runs.example.com.evil.net', 'localhost@evil.net', 'a b']) {
    assert.throws(() => requireOwnAddress(own, host, undefined), /answers to runs\.example\.com/, host)
  }
})

proves('mcp.docs', 'the page about MCP is served with the address of this server', async () => {
  const page = await service.call('GET /docs/mcp')
  assert.ok(page.text.includes(`${baseUrl}/v2/mcp`))
  assert.match(page.headers['content-security-policy']!, /default-src 'none'/)
  assert.ok((await service.call('GET /llms.txt')).text.includes(`${baseUrl}/docs/mcp`))
})

proves(
  'mcp.rateLimit',
  'a message counts once against the rate limit, and past it is refused in our shape',
  async () => {
    const limited = await testApp({ address, config: { rateLimit: 3 } })
    const poor = await seedTeam(limited)
    const ask = () => rpc(poor, 'tools/call', { name: 'getProfile' })
    const answers = [await ask()]
    // a new minute may begin in between, but not two
    while (answers.length < 7 && answers.at(-1)!.status === 200) answers.push(await ask())
    const refused = answers.pop()!
    assert.ok(answers.length >= 3)
    assert.deepEqual(
      answers.slice(-3).map(({ status, headers }) => [status, headers['ratelimit-remaining']]),
      [
        [200, '2'],
        [200, '1'],
        [200, '0'],
      ],
    )
    assert.deepEqual(
      [refused.status, refused.body.error, refused.headers['ratelimit-remaining']],
      [429, 'rate_limited', '0'],
    )
    assert.match(refused.headers['retry-after']!, /^\d+$/)
  },
)
