// Connections as people see them: made with keys and headers, changed, tested, deleted, and what depends on them.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { newId } from '../../base/ids.ts'
import { startMcpServer } from '../../../test/fakes/mcpServer.ts'
import { seedCases, seedQueue } from '../../../test/kit/cases.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { markEnded } from './credential/connectionWaits.ts'
import { openSecret } from './store/secret.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const team = await seedTeam(service)
const receiver = await startReceiver()

const create = (body: object, by = team) => by.call('POST /v2/teams/:teamId/connections', { body })
const unique = (name: string) => `${name} ${newId()}`

async function made(body: object): Promise<string> {
  const answer = await create({ name: unique('Made'), type: 'api', server_url: `${receiver.url}/api`, ...body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.connection_id
}

const changesOf = async (id: string) => {
  const told = await team.sql<{ data: { change: string; status: string } }>`
    select data from events where event = 'connection.updated' and data ->> 'connection_id' = ${id} order by id`
  return told.map(({ data }) => `${data.change} ${data.status}`)
}

proves(
  'connections.create',
  'the secret of a new connection, a key or headers, is sealed and never shown',
  async () => {
    const key = 'key-canary-1234567890'
    const { body } = await create({ name: 'Billing', type: 'api', server_url: 'https://8.8.8.8/v1', api_key: key })
    assert.deepEqual(
      [body.connection.type, body.connection.provider, body.connection.auth_method, body.connection.has_headers],
      ['api', '8.8.8.8', 'apikey', true],
    )
    const bare = await create({
      name: 'Search',
      type: 'custom_mcp',
      server_url: 'https://8.8.4.4/mcp',
      api_key: key,
      api_key_header: 'X-Api-Key',
    })
    const secrets = await team.sql<{ id: string; secret: Buffer }>`
    select id, secret from connections where id = any(${[body.connection_id, bare.body.connection_id]}::uuid[]) order by id`
    assert.deepEqual(
      secrets.map(({ id, secret }) => openSecret(service.context.keyring, id, secret)),
      [
        { kind: 'headers', headers: { authorization: `Bearer ${key}` } },
        { kind: 'headers', headers: { 'X-Api-Key': key } },
      ],
    )
    const [all] = await team.sql<{ text: string }>`select string_agg(c::text, ' ') as text from connections c`
    const listed = await team.call('GET /v2/teams/:teamId/connections')
    assert.equal(listed.body.total, 2)
    for (const text of [all!.text, listed.text, bare.text, ...service.logged]) assert.ok(!text.includes(key))
    assert.deepEqual(await changesOf(body.connection_id), ['created active'])
    const twice = await create({ name: 'Billing', type: 'api', server_url: 'https://8.8.8.8/' })
    assert.equal(twice.body.error, 'duplicate_name')
  },
)

proves(
  'connections.readCallsNothing',
  'a credential that may only read connections makes this server call nothing',
  async () => {
    const server = await startReceiver()
    const own = await seedTeam(service)
    const id = (await create({ name: 'Far', type: 'custom_mcp', server_url: `${server.url}/mcp` }, own)).body
      .connection_id
    const reader = await own.call('POST /v2/teams/:teamId/api-keys', {
      body: { name: 'r', scopes: ['connections:read'] },
    })
    const { paths } = (await service.call('GET /openapi.json')).body
    const answers: [string, number][] = []
    for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(paths)) {
      // those of artifacts have scopes of their own
      if (!path.includes('/connections') || path.includes('/artifacts')) continue
      for (const [method, { operationId }] of Object.entries(methods)) {
        const url = path.replace('{teamId}', own.id).replace('{connection_id}', id).replace('{provider}', 'github')
        const body = { mcp_server_url: `${server.url}/mcp`, server_url: `${server.url}/mcp`, name: 'Other' }
        const options = { key: reader.body.secret, ...(method !== 'get' && { body }) }
        const { status } = await service.call(`${method.toUpperCase()} ${url}`, options)
        answers.push([operationId, status])
        assert.equal(status, method === 'get' ? 200 : 403, operationId)
      }
    }
    assert.ok(answers.some(([operationId]) => operationId === 'checkMcpOAuth'))
    assert.equal(server.received.length, 0)
  },
)

proves(
  'connections.createRefused',
  'what could not be sent, or would be sent in clear, is refused with the reason',
  async () => {
    const base = { name: 'Never', type: 'api', server_url: 'https://8.8.8.8/' }
    const refusals: [object, RegExp][] = [
      [{ server_url: 'https://10.0.0.1/' }, /Only public addresses/],
      [{ server_url: 'http://8.8.8.8/', api_key: 'x' }, /https/],
      [{ headers: { Host: 'evil.example' } }, /must not set Host/],
      [{ headers: { 'X-Key': 'a\r\nX-Other: b' } }, /headers\.X-Key/],
      [{ headers: { 'X Key': 'a' } }, /not a name of a header/],
      [{ headers: { 'X-Key': 'a', 'x-key': 'b' } }, /twice/],
      [{ headers: {} }, /headers/],
      [{ headers: { Authorization: 'a' }, api_key: 'b' }, /must not set authorization too/],
      [{ api_key_header: 'X-Key' }, /needs an api_key/],
      [{ transport: 'http' }, /MCP servers alone/],
      [{ type: 'native' }, /type/],
    ]
    for (const [change, reason] of refusals) {
      const { status, body } = await create({ ...base, ...change })
      assert.equal(status, 400, JSON.stringify(change))
      assert.match(body.message, reason)
    }
    assert.equal((await team.sql`select 1 from connections where name = 'Never'`).length, 0)
  },
)

proves(
  'connections.update',
  'new headers make it work again and let runs continue, and another URL must bring its credential',
  async () => {
    const id = await made({ headers: { 'X-Key': 'first-value' } })
    await team.sql`
    update connections set status = 'action_required', broken_at = now(), broken_reason = 'It was refused.' where id = ${id}`
    const runId = await seeders['run']!(team, {})
    await team.sql`insert into connection_waits (connection_id, run_id) values (${id}, ${runId})`
    const patch = (body: object) => team.call(`PATCH /v2/connections/${id}`, { body })

    const stillBroken = await patch({ status: 'active' })
    assert.equal(stillBroken.status, 409)
    assert.match(stillBroken.body.message, /It was refused\. Send its new api_key or headers/)
    const elsewhere = await patch({ server_url: 'https://8.8.8.8/' })
    assert.equal(elsewhere.status, 400)
    assert.match(elsewhere.body.message, /bring its credential/)

    const mended = await patch({ headers: { 'X-Key': 'second-value' } })
    assert.deepEqual([mended.body.connection.status, mended.body.connection.broken_at], ['active', null])
    const [wait] = await team.sql<{
      is_over: boolean
    }>`select is_over from connection_waits where connection_id = ${id}`
    assert.equal(wait!.is_over, true)
    assert.equal((await patch({ shared: false })).body.connection.shared, false)
    assert.equal((await patch({ status: 'disabled' })).body.connection.status, 'disabled')
    assert.equal((await patch({ headers: { 'X-Key': 'third-value' } })).body.connection.status, 'disabled')
    assert.equal((await patch({ status: 'active', name: unique('Named') })).body.connection.status, 'active')
    assert.deepEqual(await changesOf(id), [
      'created active',
      'reauthorized active',
      'shared active',
      'updated disabled',
      'updated disabled',
      'updated active',
    ])
    const moved = await patch({ server_url: 'https://8.8.8.8/api', api_key: 'fourth-value' })
    assert.deepEqual(
      [moved.body.connection.server_url, moved.body.connection.auth_method],
      ['https://8.8.8.8/api', 'apikey'],
    )
  },
)

proves(
  'connections.update',
  'the URL and the credential of a connection with OAuth come from the authorization alone',
  async () => {
    const id = newId()
    await team.sql`
    insert into connections (id, team_id, name, type, provider, auth_method, secret)
    values (${id}, ${team.id}, ${id}, 'native', 'github', 'oauth', '\\x00')`
    for (const body of [{ headers: { 'X-Key': 'a' } }, { server_url: 'https://8.8.8.8/' }, { api_key: 'k' }]) {
      const refused = await team.call(`PATCH /v2/connections/${id}`, { body })
      assert.equal(refused.status, 400)
      assert.match(refused.body.message, /come from the authorization/)
    }
  },
)

proves(
  'connections.test',
  'a test calls the service: a key that is refused needs a person, and one that works again is active again',
  async () => {
    const id = await made({ headers: { 'X-Key': 'tested-value' } })
    const tested = async () => (await team.call(`POST /v2/connections/${id}/test`)).body
    const status = async () => (await team.call(`GET /v2/connections/${id}`)).body.connection.status
    assert.deepEqual(await tested(), { success: true })
    assert.equal(receiver.received.at(-1)!.headers['x-key'], 'tested-value')
    receiver.answer(503)
    assert.deepEqual(await tested(), { success: false, error: 'The service answered 503.' })
    assert.equal(await status(), 'active')
    receiver.answer(401)
    assert.equal((await tested()).success, false)
    assert.equal(await status(), 'action_required')
    receiver.answer(503)
    assert.equal((await tested()).success, false)
    assert.equal(await status(), 'action_required')
    receiver.answer(404)
    assert.deepEqual(await tested(), { success: true })
    assert.equal(await status(), 'active')
    assert.deepEqual(await changesOf(id), ['created active', 'reauthorized active'])
  },
)

proves(
  'connections.test',
  'a test of a key that is still refused changes nothing: no second event, and nobody who waits is woken',
  async () => {
    const { sql } = service.context.db
    const id = await made({ headers: { 'X-Key': 'refused-value' } })
    const statuses: string[] = []
    const refusing = createServer((_request, response) => {
      void (async () => {
        const [row] = await sql<{ status: string }>`select status from connections where id = ${id}`
        statuses.push(row!.status)
        await markEnded(sql)
        response.writeHead(401).end()
      })()
    })
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
    after(() => refusing.close())
    const { port } = refusing.address() as AddressInfo
    await sql`update connections set server_url = ${`http://127.0.0.1:${port}/`} where id = ${id}`
    await team.call(`POST /v2/connections/${id}/test`)
    await sql`insert into connection_waits (connection_id, run_id) values (${id}, ${await seeders['run']!(team, {})})`
    const again = await team.call(`POST /v2/connections/${id}/test`)
    assert.match(again.body.error, /must be authorised again: The service refused its key or headers/)
    assert.deepEqual(statuses, ['active', 'action_required'])
    const told = await sql`
      select from events where event = 'connection.action_required' and data ->> 'connection_id' = ${id}`
    assert.equal(told.length, 1)
    assert.deepEqual(await sql`select is_over from connection_waits where connection_id = ${id}`, [{ is_over: false }])
  },
)

proves('connections.test', 'an MCP server is tested by listing its tools', async () => {
  const server = await startMcpServer({
    wantsHeader: { name: 'x-key', value: 'good' },
    tools: [{ name: 'look' }, { name: 'touch' }],
  })
  const id = await made({ type: 'custom_mcp', server_url: server.url, headers: { 'X-Key': 'good' } })
  const { body } = await team.call(`POST /v2/connections/${id}/test`)
  assert.deepEqual(body, { success: true, tools_count: 2 })
  const { connection } = (await team.call(`GET /v2/connections/${id}`)).body
  assert.deepEqual([connection.tools_count, connection.transport], [2, 'http'])
})

proves(
  'connections.dependents',
  'the dependents of a connection are the agents, schedules, triggers, cases and runs that stand still without it',
  async () => {
    const id = await made({})
    const data = { connections: [id] }
    const agentId = await seedAgent(team, 'Use the connection.', data)
    await seedAgent(team, 'Use nothing.')
    const draftOnly = await seedAgent(team, 'Not yet.')
    const draft = { config: { version: 'v2', data: { input: 'Now.', ...data } } }
    assert.equal((await team.call(`POST /v2/agents/${draftOnly}/revisions`, { body: draft })).status, 201)
    const scheduleId = await seeders['schedule']!(team, { agent: agentId })
    const queueId = await seedQueue(team)
    await seedCases(team, queueId, 3)
    const trigger = { case_queue_id: queueId, enabled: true }
    assert.equal((await team.call(`POST /v2/agents/${agentId}/case-triggers`, { body: trigger })).status, 201)
    const { body: started } = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId } })
    await team.sql`insert into connection_waits (connection_id, run_id) values (${id}, ${started.run_id})`
    await team.sql`update runs set status = 'running', started_at = now() where id = ${started.run_id}`

    const [shared, hidden] = [await seeders['artifact']!(team, {}), await seeders['artifact']!(team, {})]
    await team.sql`insert into artifact_connections (artifact_id, connection_id) values (${shared}, ${id}), (${hidden}, ${id})`
    // a private one of somebody else is counted and not named
    const other = newId()
    await team.sql`update artifacts set visibility = 'private', public_key = null, created_by_user_id = ${other}, acts_for = array[${other}::uuid]
      where id = ${hidden}`
    await team.sql`update connections set type = 'custom_mcp' where id = ${id}`
    const poll = { kind: 'poll', name: 'New orders', poll: { connection_id: id, tool: 'list_orders' } }
    const polled = await team.call(`POST /v2/agents/${agentId}/triggers`, { body: poll })
    assert.equal(polled.status, 201, polled.text)
    const { status, body } = await team.call(`GET /v2/connections/${id}/dependents`)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.triggers, body.triggers_total],
      [[{ id: polled.body.trigger_id, agent_id: agentId, name: 'New orders', tool: 'list_orders' }], 1],
    )
    assert.deepEqual(
      body.agents.map((one: { id: string }) => one.id),
      [agentId],
    )
    assert.deepEqual(
      body.schedules.map((one: { id: string }) => one.id),
      [scheduleId],
    )
    assert.deepEqual(
      body.waiting_runs.map((one: { id: string }) => one.id),
      [started.run_id],
    )
    assert.deepEqual([body.agents_total, body.schedules_total, body.cases_total, body.waiting_runs_total], [1, 1, 3, 1])
    assert.deepEqual(
      body.artifacts.map((one: { id: string }) => one.id),
      [shared],
    )
    assert.equal(body.artifacts_total, 2)
  },
)

proves('connections.config', 'a build may name connections of its own team alone', async () => {
  const id = await made({})
  const stranger = await seedTeam(service)
  for (const named of [id, 'no-id']) {
    const config = { version: 'v2', data: { input: 'Look.', connections: [named] } }
    const refused = await stranger.call('POST /v2/teams/:teamId/agents', { body: { build: { config } } })
    assert.equal(refused.status, 400)
    assert.match(refused.body.message, /the team has no connection with the id/)
  }
})

proves('connections.flowsSwept', 'authorisations that nobody came back from are forgotten', async () => {
  await team.sql`
    insert into oauth_flows (state_hash, team_id, credential_kind, credential_id, kind, provider, facts, secret, expires_at)
    select sha256(n::text::bytea), ${team.id}, 'api_key', ${team.keyId}, 'native', 'github', '{}', '\\x00', now() + n * interval '1 minute'
    from generate_series(-1, 1, 2) n`
  await team.sql`select graphile_worker.add_job('sweepFlows', '{}'::json)`
  await service.drain()
  assert.equal((await team.sql`select 1 from oauth_flows where team_id = ${team.id}`).length, 1)
})
