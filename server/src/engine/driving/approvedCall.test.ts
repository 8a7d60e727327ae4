// What a person approved is what is done: a run keeps the config it began with, and an approval counts for exactly the call that was shown.
import assert from 'node:assert/strict'
import { startMcpServer } from '../../../test/fakes/mcpServer.ts'
import { seedConnection } from '../../../test/kit/connections.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { listTools } from '../../features/connections/mcpTools/toolList.ts'
import { forgetConfigs } from '../ending/sweepRuns.job.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { context } = service
const { sql } = context.db
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const secretOf = (key: string) => ({ kind: 'headers', headers: { 'X-Key': key } }) as const
const always = { approvals: { http_request: 'always' } }

async function requestOf(team: TestTeam, runId: string) {
  return (await team.call(`GET /v2/runs/${runId}`)).body.pending_human_request
}

/** Approves the waiting call as it is shown. */
async function allow(team: TestTeam, runId: string): Promise<void> {
  const { id, action } = await requestOf(team, runId)
  const body = { approved: true, action_hash: action.hash }
  const answer = await team.call(`POST /v2/runs/${runId}/human-requests/${id}/respond`, { body })
  assert.equal(answer.status, 200, answer.text)
  await drainRuns(service)
}

async function draftOf(team: TestTeam, agentId: string, data: object): Promise<string> {
  const config = { version: 'v2', data }
  const made = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { config } })
  assert.equal(made.status, 201, made.text)
  return made.body.build_id
}

proves(
  'runs.pinned',
  'a draft that is changed while its run waits for an approval changes nothing of that run',
  async () => {
    const team = await seedTeam(service)
    const [good, evil] = [await startReceiver(), await startReceiver()]
    const pays = (url: string) =>
      block('http id=pay', `POST ${url}/pay\n\nten`) + block('output', 'paid at {{ steps.pay.output.status }}')
    const agentId = await seedAgent(team, 'Nothing.')
    const buildId = await draftOf(team, agentId, { input: pays(good.url), ...always })
    const runId = await startRun(team, agentId, { build_id: buildId })
    await drainRuns(service)
    const shown = await requestOf(team, runId)
    assert.equal(shown.action.arguments.url, `${good.url}/pay`)

    const config = { version: 'v2', data: { input: block('http', `POST ${evil.url}/steal`) + pays(evil.url) } }
    assert.equal((await team.call(`PATCH /v2/revisions/${buildId}`, { body: { config } })).status, 200)
    // a message wakes it, so that it is claimed again
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And?' } })
    await drainRuns(service)
    const { build } = (await team.call(`GET /v2/agent/${agentId}/runs/${runId}`)).body
    assert.equal(build.config.data.input, pays(good.url), 'the report shows what the run follows')
    await allow(team, runId)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output], ['completed', 'paid at 200'], JSON.stringify(run.error))
    assert.deepEqual(
      [good.received.map(({ url, body }) => [url, String(body)]), evil.received],
      [[['/pay', 'ten']], []],
    )

    // a run that continues after its end keeps the same config; a run that begins now follows the new one
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Again.' } })
    await drainRuns(service)
    await allow(team, runId)
    assert.deepEqual([good.received.length, evil.received.length], [2, 0])
    await startRun(team, agentId, { build_id: buildId })
    await drainRuns(service)
    assert.equal(evil.received.length, 2)
  },
)

proves(
  'runs.pinnedKept',
  'a pinned config is kept while a run follows it, and forgotten after its last run',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Nothing.')
    const buildId = await draftOf(team, agentId, { input: block('output', 'one') })
    const ids = [
      await startRun(team, agentId, { build_id: buildId }),
      await startRun(team, agentId, { build_id: buildId }),
    ]
    await drainRuns(service)
    const left = async () => {
      await sql`update pinned_configs set used_at = now() - interval '2 days' where team_id = ${team.id}`
      await forgetConfigs(service.context, sql, () => true)
      return (await sql`select from pinned_configs where team_id = ${team.id}`).length
    }
    assert.equal(await left(), 1, 'one config for both')
    for (const id of ids) {
      assert.equal(await left(), 1)
      assert.ok((await team.call(`DELETE /v2/runs/${id}`)).status < 300)
      await service.drain()
    }
    assert.equal(await left(), 0)
  },
)

proves('runs.liveKept', 'the database refuses another config for a build that is or was live', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, 'Nothing.')
  const change = sql`update builds set config = '{"version": "v2", "data": {}}' where agent_id = ${agentId}`
  await assert.rejects(change, /cannot change/)
})

proves(
  'approvals.connection',
  'a connection that is moved or gets another credential while an approval waits is asked about again',
  async () => {
    const team = await seedTeam(service)
    const [first, second] = [await startReceiver(), await startReceiver()]
    const secret = { kind: 'headers', headers: { 'X-Key': 'key-one-0123456789' } } as const
    const id = await seedConnection(service, team, { name: 'Bank', server_url: first.url, secret })
    const swaps: [object, RegExp][] = [
      [{ headers: { 'X-Key': 'key-two-0123456789' } }, /the credential or URL of its connection has changed since/],
      [{ server_url: second.url, headers: { 'X-Key': 'key-two-0123456789' } }, /the URL of its connection/],
    ]
    const pays = block('http connection=Bank id=pay', `POST ${first.url}/pay`) + block('output', 'paid')
    const agentId = await seedAgent(team, pays, { connections: [id], ...always })
    for (const [body, said] of swaps) {
      const runId = await startRun(team, agentId)
      await drainRuns(service)
      const before = await requestOf(team, runId)
      assert.equal((await team.call(`PATCH /v2/connections/${id}`, { body })).status, 200)
      await allow(team, runId)
      const again = await requestOf(team, runId)
      assert.notEqual(again.action.hash, before.action.hash)
      assert.notEqual(again.id, before.id)
      assert.deepEqual(again.action.arguments, before.action.arguments)
      assert.match(again.description, said)
      assert.deepEqual([first.received.length, second.received.length], [0, 0])
    }
    // a token that is only renewed is the same credential, and a yes to what is there now counts
    const [waiting] = (await team.call('GET /v2/teams/:teamId/runs?status=waiting')).body.data
    await sql`update connections set generation = generation + 1 where id = ${id}`
    await team.call(`PATCH /v2/connections/${id}`, { body: { name: 'The bank', shared: true } })
    await team.call(`PATCH /v2/connections/${id}`, { body: { name: 'Bank' } })
    await allow(team, waiting.id)
    assert.match((await readRun(team, waiting.id)).error.message, /Bank is for 127\.0\.0\.1:\d+ only/)
  },
)

proves(
  'approvals.name',
  'a name that means another connection by the time of the call is asked about again',
  async () => {
    const team = await seedTeam(service)
    const api = await startReceiver()
    const connections = [
      await seedConnection(service, team, { name: 'Bank', server_url: api.url, secret: secretOf('small-0123456789') }),
      await seedConnection(service, team, { name: 'Vault', server_url: api.url, secret: secretOf('great-0123456789') }),
    ]
    const agentId = await seedAgent(team, block('http connection=Bank', `POST ${api.url}/pay`), {
      connections,
      ...always,
    })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    for (const [index, name] of [
      [0, 'Old bank'],
      [1, 'Bank'],
    ] as const) {
      await team.call(`PATCH /v2/connections/${connections[index]}`, { body: { name } })
    }
    await allow(team, runId)
    assert.match((await requestOf(team, runId)).description, /the connection that it names/)
    assert.equal(api.received.length, 0)
    await allow(team, runId)
    assert.deepEqual(
      api.received.map(({ headers }) => headers['x-key']),
      ['great-0123456789'],
    )
  },
)

proves('approvals.name', 'a connection that is named like the provider of another one is bound as well', async () => {
  const team = await seedTeam(service)
  const api = await startReceiver()
  const given = { server_url: api.url, secret: secretOf('small-0123456789'), provider: 'pay' }
  const connections = [
    await seedConnection(service, team, { ...given, name: 'pay' }),
    await seedConnection(service, team, { ...given, name: 'pay-2' }),
  ]
  const agentId = await seedAgent(team, block('http connection=pay', `POST ${api.url}/pay`), { connections, ...always })
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  for (const [index, name] of [
    [0, 'pay-1'],
    [1, 'pay'],
  ] as const) {
    await team.call(`PATCH /v2/connections/${connections[index]}`, { body: { name } })
  }
  await allow(team, runId)
  assert.match((await requestOf(team, runId)).description, /the connection that it names/)
  assert.equal(api.received.length, 0)
})

proves('approvals.tool', 'a tool that its server changes while an approval waits is asked about again', async () => {
  const team = await seedTeam(service)
  const server = await startMcpServer({ tools: [{ name: 'pay', description: 'Pays.' }] })
  const id = await seedConnection(service, team, { name: 'Bank', type: 'custom_mcp', server_url: server.url })
  const data = { connections: [id], approvals: { bank__pay: 'always' } }
  const runId = await startRun(
    team,
    await seedAgent(team, block('tool name=bank__pay', '{"n": 1}') + block('output', 'paid'), data),
  )
  await drainRuns(service)
  server.tools[0]!.description = 'Pays twice.'
  await listTools(context, { id, team_id: team.id })
  await allow(team, runId)
  assert.match((await requestOf(team, runId)).description, /the tool as its server lists it has changed since/)
  assert.equal(server.calls.length, 0)
  await allow(team, runId)
  assert.deepEqual([(await readRun(team, runId)).output, server.calls.length], ['paid', 1])
})
