// Canaries: the secrets of every kind of connection go through everything that is done with them, and are found nowhere in clear.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { startMcpServer } from '../../../test/fakes/mcpServer.ts'
import { startOauthServer } from '../../../test/fakes/oauthServer.ts'
import {
  authoriseAgain,
  redirectUri,
  seedConnection,
  seedGrantedConnection,
  seeToConnections,
} from '../../../test/kit/connections.ts'
import { assertClean as assertNone, dumpTables } from '../../../test/kit/canaries.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp, type Answer } from '../../../test/kit/testApp.ts'
import { hiddenValues, openSecret } from './store/secret.ts'
import { wakeWaitingRuns } from './credential/connectionWaits.ts'
import { proves } from '../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const broker = await startReceiver()
const echo = await startEcho()
const oauth = await startOauthServer({ redirectUris: [redirectUri] })
const service = await testApp({
  config: {
    allowPrivateHosts: ['127.0.0.1'],
    anthropicKey: 'sk-ant-1234567890',
    anthropicUrl: provider.url,
    brokerUrl: broker.url,
    brokerKey: 'canary-broker-key-5d1f',
  },
})
const { context } = service
const { sql } = context.db
const team = await seedTeam(service)
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

/** A server that shows all that it was sent, in every place where it can. */
async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
    const said = JSON.stringify(request.rawHeaders)
    const status = Number(/\d{3}/.exec(request.url!)?.[0] ?? 200)
    const location = `https://a.example/?sent=${encodeURIComponent(said)}`
    response.writeHead(status, {
      'content-type': `application/json; said=${Buffer.from(said).toString('base64')}`,
      location,
    })
    response.end(JSON.stringify({ said, packed: Buffer.from(`x${said}`).toString('base64') }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const canaries = new Set([
  'canary-api-key-71ac',
  'canary-header-a-90be',
  'canary-header-b-44d0',
  'canary-broker-key-5d1f',
  'canary-brokered-2e11',
])

/** Tokens come and go: whatever a connection holds now is one of them. */
async function collect(): Promise<void> {
  const rows = await sql<{ id: string; secret: Buffer }>`select id, secret from connections where secret is not null`
  for (const { id, secret } of rows) {
    for (const value of hiddenValues(openSecret(context.keyring, id, secret))) canaries.add(value)
  }
}

const answers: Answer[] = []

async function call(route: string, body?: object, idempotencyKey?: string): Promise<Answer> {
  const answer = await team.call(route, { ...(body && { body }), ...(idempotencyKey && { idempotencyKey }) })
  answers.push(answer)
  return answer
}

async function make(body: object): Promise<string> {
  const key = JSON.stringify(body).slice(0, 40)
  const made = await call('POST /v2/teams/:teamId/connections', body, key)
  assert.equal(made.status, 201, made.text)
  assert.equal((await call('POST /v2/teams/:teamId/connections', body, key)).headers['idempotency-replayed'], 'true')
  return made.body.connection_id
}

const assertClean = (place: string, text: string): void => assertNone(canaries, place, text)

proves(
  'connections.canary',
  'no secret of a connection is found in answers, messages, events, logs, requests of a model, or the database',
  async () => {
    const key = await make({ name: 'Key', type: 'api', server_url: echo, api_key: 'canary-api-key-71ac' })
    const headers = { 'X-A': 'canary-header-a-90be', Cookie: 'b=canary-header-b-44d0' }
    const headed = await make({ name: 'Headed', type: 'api', server_url: echo, headers })
    const granted = await seedGrantedConnection(service, team, oauth, {
      name: 'Granted',
      type: 'api',
      server_url: echo,
    })
    const mcp = await startMcpServer({
      protectedBy: oauth,
      tools: [{ name: 'echo', answer: () => ({ said: mcp.calls.at(-1)!.authorization }) }],
    })
    const tools = await seedGrantedConnection(service, team, oauth, {
      name: 'Tools',
      type: 'mcp',
      server_url: mcp.url,
      isBound: true,
    })
    broker.answer(
      200,
      { 'content-type': 'application/json' },
      '{"credentials":{"access_token":"canary-brokered-2e11"}}',
    )
    const brokered = await seedConnection(service, team, {
      name: 'Brokered',
      server_url: echo,
      auth_method: 'oauth',
      broker_connection_id: 'b-1',
      oauth: { provider_config_key: 'crm' },
    })
    const connections = [key, headed, granted, tools, brokered]
    const names = ['Key', 'Headed', 'Granted', 'Brokered']
    await collect()
    assert.ok(canaries.size >= 12)

    for (const id of connections) {
      assert.equal((await call(`POST /v2/connections/${id}/test`)).status, 200)
      await call(`GET /v2/connections/${id}`)
      await call(`GET /v2/connections/${id}/tools`)
    }
    await call(`PATCH /v2/connections/${headed}`, { headers: { ...headers, 'X-C': 'canary-header-a-90be' } }, 'again')
    const calls = names.flatMap((name) => [
      block(`http connection=${name} on_error=continue`, `POST ${echo}/200\n\nhello`),
      block(`http connection=${name} on_error=continue`, `GET ${echo}/302`),
      block(`http connection=${name} on_error=continue`, `GET ${echo}/400`),
    ])
    const procedure = [...calls, block('tool name=tools__echo', '{}'), block('output', 'done')].join('')
    const plain = await startRun(team, await seedAgent(team, procedure, { connections }))
    provider.answer(
      {
        calls: [
          ...names.map((connection) => ({ name: 'http_request', arguments: { url: `${echo}/200`, connection } })),
          { name: 'http_request', arguments: { url: `${echo}/404`, connection: 'Granted' } },
          { name: 'tools__echo', arguments: {} },
        ],
      },
      { text: 'done' },
    )
    const data = { connections, plugins: ['http'], models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } }
    const modelled = await startRun(team, await seedAgent(team, 'Do it.', data), { message: 'go' })
    await drainRuns(service)
    for (const id of [plain, modelled]) assert.equal((await readRun(team, id)).status, 'completed')

    // renewed, in trouble, refused, authorised again
    await sql`update connections set refresh_at = now() - interval '1 second' where id = any(${[granted, tools]}::uuid[])`
    await seeToConnections(service)
    await collect()
    await oauth.revokeAll()
    const broken = await startRun(team, await seedAgent(team, block('tool name=tools__echo', '{}'), { connections }))
    const refused = await startRun(
      team,
      await seedAgent(team, block('http connection=Key', `GET ${echo}/401`), { connections }),
    )
    await sql`
    update connections set refresh_at = now() - interval '1 second', renewed_at = null,
      oauth = jsonb_set(oauth, '{server,token_endpoint}', to_jsonb(${`${echo}/503`}::text)) where id = ${granted}`
    await sql`update connections set renewed_at = null where id = ${tools}`
    await drainRuns(service)
    await seeToConnections(service)
    for (const id of [broken, refused]) assert.equal((await readRun(team, id)).waiting_on.kind, 'connection')
    await authoriseAgain(service, team, oauth, tools)
    await collect()
    await wakeWaitingRuns({ context, signal: new AbortController().signal })
    await drainRuns(service)
    assert.equal((await readRun(team, broken)).status, 'completed')
    await call(`POST /v2/connections/${granted}/test`)
    await call(`DELETE /v2/connections/${tools}`)
    await service.drain()
    for (const id of [plain, modelled, broken, refused]) {
      const { body } = await call(`GET /v2/runs/${id}`)
      for (const part of ['messages', 'why']) await call(`GET /v2/runs/${id}/${part}`)
      await call(`GET /v2/agent/${body.run.agent_id}/runs/${id}/workflow-execution-report`)
    }
    await call('GET /v2/teams/:teamId/audit-log')
    await call('GET /v2/teams/:teamId/connections')

    assert.ok(provider.requests.length >= 2 && service.logged.length > 0 && answers.length > 30)
    for (const { body, headers: sent } of provider.requests) assertClean('a model', JSON.stringify([body, sent]))
    for (const { status, text, headers: got } of answers) {
      assert.ok(status < 300, text)
      assertClean('an answer', `${JSON.stringify(got)} ${text}`)
    }
    assertClean('the log', service.logged.join('\n'))
    const tables = await dumpTables(context)
    assert.ok(
      tables.get('public.event_batches')!.includes('waiting_run_ids') &&
        tables.get('public.run_messages')!.includes('[cut]'),
    )
    for (const [table, text] of tables) assertClean(table, text)
  },
)
