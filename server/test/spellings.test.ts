// Other spellings that clients use are accepted over HTTP beside ours, mean the same, and are described in the OpenAPI document.
import assert from 'node:assert/strict'
import { newId } from '../src/base/ids.ts'
import { openSecret } from '../src/features/connections/store/secret.ts'
import { seedCases, seedQueue } from './kit/cases.ts'
import { drainRuns, seedAgent, startRun } from './kit/runs.ts'
import { configuredProvider, seeders, seedTeam } from './kit/seed.ts'
import { testApp, type Answer } from './kit/testApp.ts'
import { proves } from './kit/proves.ts'

const secrets = { client_id: 'id', client_secret: 'secret' }
const service = await testApp({
  config: { oauth: { [configuredProvider]: secrets, google: secrets }, publicUrl: 'https://runyard.example.com' },
})
const team = await seedTeam(service)
const { body: document } = await service.call('GET /openapi.json')

const taken = ({ status, body, text }: Answer) => {
  assert.ok(status === 200 || status === 201, text)
  return body
}

const differ = /another spelling of .* and the two differ/

const bodyOf = (path: string, method: string) =>
  document.paths[path][method].requestBody.content['application/json'].schema.properties

proves(
  'spellings.names',
  'a field is taken under its other name, both names may agree, and two that differ are a 400',
  async () => {
    const create = (body: object) => team.call('POST /v2/teams/:teamId/agents', { body })
    assert.equal(taken(await create({ agentic_memory_enabled: false })).agent.memory_enabled, false)
    assert.equal(
      taken(await create({ agentic_memory_enabled: false, memory_enabled: false })).agent.memory_enabled,
      false,
    )
    const both = await create({ agentic_memory_enabled: false, memory_enabled: true })
    assert.equal(both.status, 400)
    assert.match(both.body.message, differ)
    const wrong = await create({ agentic_memory_enabled: 'no' })
    assert.equal(wrong.status, 400, 'it is checked like the field itself')
    assert.match(wrong.body.message, /^agentic_memory_enabled must be boolean/)
    const agentId = await seeders['agent']!(team, {})
    const changed = await team.call(`PATCH /v2/agents/${agentId}`, { body: { agentic_memory_enabled: false } })
    assert.equal(taken(changed).agent.memory_enabled, false)

    const started = await team.call('POST /v2/teams/:teamId/runs', {
      body: { agent_id: agentId, callback_url: null, webhook_url: 'https://8.8.8.8/hook' },
    })
    assert.equal(taken(started).run.callback_url, 'https://8.8.8.8/hook')
    const two = { callback_url: 'https://8.8.8.8/a', webhook_url: 'https://8.8.8.8/b' }
    const refused = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId, ...two } })
    assert.match(refused.body.message, differ)
    const long = `https://8.8.8.8/${'a'.repeat(2048)}`
    for (const name of ['callback_url', 'webhook_url']) {
      const tooLong = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId, [name]: long } })
      assert.equal(tooLong.status, 400)
      assert.equal(tooLong.body.message, `${name} must not have more than 2048 characters.`)
    }

    const known = newId()
    await team.sql`
    insert into connections (id, team_id, name, type, provider, auth_method)
    values (${known}, ${team.id}, 'Ours', 'native', ${configuredProvider}, 'oauth')`
    const again = (body: object) =>
      team.call(`POST /v2/teams/:teamId/connections/oauth/native/${configuredProvider}/start`, { body })
    assert.equal(taken(await again({ reconnect_instance_id: known })).connection_id, known)
    assert.equal((await again({ reconnect_instance_id: newId() })).status, 404)

    const schema = bodyOf('/v2/agents/{agent_id}', 'patch')
    assert.match(schema.memory_enabled.description, /Also accepted as `agentic_memory_enabled`/)
    assert.match(schema.agentic_memory_enabled.description, /Another spelling of `memory_enabled`/)
    const start = bodyOf('/v2/teams/{teamId}/connections/oauth/mcp/start', 'post')
    assert.match(start.reconnect_instance_id.description, /Another spelling of `reconnect_connection_id`/)
  },
)

proves('spellings.names', 'a message over MCP takes other names too', async () => {
  const call = { name: 'createAgent', arguments: { name: 'Spelled', agentic_memory_enabled: false } }
  const headers = { accept: 'application/json, text/event-stream' }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
  const { text } = await team.call('POST /v2/mcp', { body, headers })
  assert.match(text, /memory_enabled\\*":false/)
})

proves('spellings.null', 'null counts as absent for recurring and source_build_id', async () => {
  const agentId = taken(await team.call('POST /v2/teams/:teamId/agents', { body: { source_build_id: null } })).agent_id
  const draft = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { source_build_id: null } })
  assert.equal(taken(draft).build.status, 'draft')
  const wanted = { frequency: 'hourly', recurring: null }
  const made = taken(await team.call(`POST /v2/agents/${agentId}/schedules`, { body: wanted }))
  assert.equal(made.recurring, true)
  const path = `PATCH /v2/agents/${agentId}/schedules/${made.schedule_id}`
  assert.equal(taken(await team.call(path, { body: { recurring: false } })).recurring, false)
  assert.equal(taken(await team.call(path, { body: { recurring: null } })).recurring, false)
})

proves('spellings.words', 'other words for a status find the same runs and cases', async () => {
  const own = await seedTeam(service)
  const agentId = await seeders['agent']!(own, {})
  const stopped = await seeders['run']!(own, { agent: agentId })
  const pending = await startRun(own, agentId)
  const runs = async (status: string) =>
    taken(await own.call(`GET /v2/teams/:teamId/runs?status=${status}`)).data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await runs('interrupted'), [stopped])
  assert.deepEqual(await runs('not_started'), [pending])
  assert.deepEqual(await runs('starting'), [pending])
  assert.deepEqual(await runs('not_started,interrupted'), await runs('pending,stopped'))
  assert.equal((await own.call('GET /v2/teams/:teamId/runs?status=begun')).status, 400)

  const queueId = await seedQueue(own)
  const [first] = await seedCases(own, queueId, 2)
  taken(await own.call(`POST /v2/cases/${first}/claim`))
  const listed = async (answer: Promise<Answer>) => taken(await answer).cases.map(({ id }: { id: string }) => id)
  const search = (filters: object) => own.call(`POST /v2/queues/${queueId}/cases/search`, { body: { filters } })
  assert.deepEqual(await listed(own.call(`GET /v2/queues/${queueId}/cases?status=claimed`)), [first])
  assert.deepEqual(await listed(search({ status: ['claimed'] })), [first])
  assert.deepEqual(await listed(search({ status: 'claimed' })), [first])
  assert.equal((await listed(search({ status: 'claimed, pending', priority: 'none,high' }))).length, 2)
  assert.equal((await search({ status: 'claimed,begun' })).status, 400)
  const parameters = document.paths['/v2/teams/{teamId}/runs'].get.parameters as { name: string; description: string }[]
  assert.match(parameters.find(({ name }) => name === 'status')!.description, /`interrupted` for `stopped`/)
})

proves(
  'spellings.commas',
  'one text with commas answers a question of which several options can be chosen',
  async () => {
    const options = [{ label: 'red' }, { label: 'green' }, { label: 'blue, dark' }]
    const questions = [{ question: 'Which?', options, multi_select: true }]
    const agentId = await seedAgent(
      team,
      `\`\`\`tool name=human_ask\n${JSON.stringify({ title: 'Colours', questions })}\n\`\`\`\n`,
      { plugins: ['human'] },
    )
    const answered = async (answer: unknown) => {
      const runId = await startRun(team, agentId)
      await drainRuns(service)
      const { pending_human_request: asked } = taken(await team.call(`GET /v2/runs/${runId}`))
      const path = `POST /v2/runs/${runId}/human-requests/${asked.id}/respond`
      return team.call(path, { body: { answers: { 'Which?': answer } } })
    }
    const chosen = async (answer: unknown) => taken(await answered(answer)).human_request.response.answers['Which?']
    assert.deepEqual(await chosen('red, green'), ['red', 'green'])
    assert.deepEqual(await chosen('green'), ['green'])
    assert.deepEqual(await chosen('blue, dark'), ['blue, dark'], 'a label stays whole')
    assert.equal((await answered('red, yellow')).status, 400)

    const builderRun = await seeders['builder_run']!(team, {})
    await team.sql`
    update builder_runs set pending_user_questions = ${JSON.stringify({ questions })}::jsonb
    where id = ${builderRun} and team_id = ${team.id}`
    taken(
      await team.call(`POST /v2/builder-runs/${builderRun}/resume`, { body: { answers: { 'Which?': 'red,green' } } }),
    )
    const [kept] = await team.sql<{ answers: object }>`
    select answers from builder_runs where id = ${builderRun} and team_id = ${team.id}`
    assert.deepEqual(kept!.answers, { 'Which?': ['red', 'green'] })
  },
)

const names = ({ labels }: { labels: { key: string; value: string }[] }): string[] =>
  labels.map(({ key, value }) => `${key}=${value}`).toSorted()

proves('spellings.label', 'a label without a key has an empty one', async () => {
  const queueId = await seedQueue(team)
  const labels = [{ value: 'urgent' }, { key: '', value: 'urgent' }, { key: 'region', value: 'eu' }]
  const made = taken(await team.call(`POST /v2/queues/${queueId}/cases`, { body: { case: { title: 'A', labels } } }))
  const [added] = made.added_cases
  assert.deepEqual(names(added), ['=urgent', 'region=eu'])
  const path = `POST /v2/queues/${queueId}/cases/${added.id}/labels`
  const linked = taken(await team.call(path, { body: { labels: [{ value: 'late' }] } }))
  assert.ok(names(linked).includes('=late'))
})

proves('spellings.provider', 'a provider is found without its hyphens', async () => {
  const begun = await team.call('POST /v2/teams/:teamId/connections/oauth/native/googlesheets/start', { body: {} })
  const { state } = taken(begun)
  assert.ok(state)
  const [flow] = await team.sql<{ provider: string }>`
    select provider from oauth_flows where team_id = ${team.id} order by created_at desc limit 1`
  assert.equal(flow!.provider, 'google-sheets')
  assert.equal((await team.call('POST /v2/teams/:teamId/connections/oauth/native/googlesheet/start')).status, 404)
})

proves(
  'connections.credentials',
  'a connection is an MCP server by default, and of both maps of headers only the names are shown',
  async () => {
    const wanted = {
      name: 'Two maps',
      server_url: 'https://8.8.8.8/mcp',
      headers: { plaintext: { 'X-Region': 'eu-canary-1' }, secret: { 'X-Api-Key': 'key-canary-2' } },
    }
    const made = await team.call('POST /v2/teams/:teamId/connections', { body: wanted })
    const { connection, connection_id: id } = taken(made)
    assert.deepEqual([connection.type, connection.auth_method, connection.has_headers], ['custom_mcp', 'headers', true])
    const [row] = await team.sql<{ secret: Buffer; text: string }>`
    select secret, c::text as text from connections c where id = ${id} and team_id = ${team.id}`
    assert.deepEqual(openSecret(service.context.keyring, id, row!.secret), {
      kind: 'headers',
      headers: { 'X-Region': 'eu-canary-1', 'X-Api-Key': 'key-canary-2' },
    })
    const told = await team.call(`GET /v2/connections/${id}/credentials`)
    assert.deepEqual(taken(told), {
      connection_id: id,
      auth_method: 'headers',
      headers: [
        { name: 'X-Api-Key', is_set: true },
        { name: 'X-Region', is_set: true },
      ],
      has_oauth_tokens: false,
      expires_at: null,
    })
    for (const text of [row!.text, told.text, made.text]) assert.doesNotMatch(text, /canary/)
    const stranger = await seedTeam(service)
    assert.equal((await stranger.call(`GET /v2/connections/${id}/credentials`)).status, 404)
    const twice = {
      ...wanted,
      name: 'Twice',
      headers: { plaintext: { 'X-A': '1' }, secret: { 'x-a': '2', host: 'h' } },
    }
    const refused = await team.call('POST /v2/teams/:teamId/connections', { body: twice })
    assert.equal(refused.status, 400)
    assert.match(refused.body.message, /both plaintext and secret.*must not set host/)
    const named = { name: 'Named', server_url: 'https://8.8.8.8/mcp', headers: { plaintext: 'a-header-of-this-name' } }
    const { connection_id: other } = taken(await team.call('POST /v2/teams/:teamId/connections', { body: named }))
    assert.deepEqual(taken(await team.call(`GET /v2/connections/${other}/credentials`)).headers, [
      { name: 'plaintext', is_set: true },
    ])
  },
)
