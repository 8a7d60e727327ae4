// Tools of a new connection: the first run has them, they are asked for once, and a list that fails is reported as such.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../../test/fakes/anthropic.ts'
import { startMcpServer, type McpServer } from '../../../../test/fakes/mcpServer.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { wakeWaitingRuns } from '../credential/connectionWaits.ts'
import { proves } from '../../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: 'sk-ant-1234567890', anthropicUrl: provider.url },
})
const { context } = service
const { sql } = context.db
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const procedure = block('tool name=shop__echo id=a', '{"n": 1}') + block('output', '{{ steps.a.output.data }}')

async function connect(team: TestTeam, server: McpServer, more: object = {}): Promise<string> {
  const body = { name: 'Shop', type: 'custom_mcp', server_url: server.url, ...more }
  const made = await team.call('POST /v2/teams/:teamId/connections', { body })
  assert.equal(made.status, 201, made.text)
  return made.body.connection_id
}

const lists = (server: McpServer) => server.requests.filter(({ rpc }) => rpc === 'tools/list').length

proves(
  'connections.firstList',
  'a run that starts right after its connection was made has its tools, and of many runs one asks for them',
  async () => {
    const team = await seedTeam(service)
    const server = await startMcpServer()
    const connections = [await connect(team, server)]
    const agentId = await seedAgent(team, procedure, { connections })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await startRun(team, agentId))
    await drainRuns(service)
    for (const id of ids) {
      const run = await readRun(team, id)
      assert.deepEqual([run.status, run.output], ['completed', { n: 1 }], JSON.stringify(run.error))
    }
    assert.equal(lists(server), 1)
    const { tools } = (await team.call(`GET /v2/connections/${connections[0]}/tools`)).body
    assert.deepEqual(
      tools.map(({ name, status }: Record<string, string>) => [name, status]),
      [['echo', 'approved']],
    )
  },
)

proves('connections.firstListDeath', 'a list whose asker died is asked for again when its time is over', async () => {
  const team = await seedTeam(service)
  const server = await startMcpServer()
  const id = await connect(team, server)
  await sql`update connections set listing_until = now() + interval '300 ms' where id = ${id}`
  const runId = await startRun(team, await seedAgent(team, procedure, { connections: [id] }))
  await drainRuns(service)
  assert.equal((await readRun(team, runId)).status, 'completed')
  assert.equal(lists(server), 1)
})

proves(
  'connections.firstListFails',
  'a list that fails is the reason that the call gives, and is not asked for by every run',
  async () => {
    const team = await seedTeam(service)
    const server = await startMcpServer()
    server.broken = { status: 500 }
    const connections = [await connect(team, server)]
    const agentId = await seedAgent(team, procedure, { connections })
    for (let n = 0; n < 2; n++) {
      const id = await startRun(team, agentId)
      await drainRuns(service)
      const run = await readRun(team, id)
      assert.match(run.error.message, /The tools of Shop could not be listed: .*500/)
    }
    const asked = server.requests.length
    const third = await startRun(team, agentId)
    await drainRuns(service)
    assert.equal(server.requests.length, asked, 'nobody asks again so soon')
    assert.equal((await readRun(team, third)).status, 'failed')
    server.broken = null
    await sql`update connections set listing_until = now() where id = ${connections[0]!}`
    const last = await startRun(team, agentId)
    await drainRuns(service)
    assert.equal((await readRun(team, last)).status, 'completed')
  },
)

proves(
  'connections.firstListRefused',
  'a connection whose key is refused before its first list makes the run wait, and a model too',
  async () => {
    const team = await seedTeam(service)
    const server = await startMcpServer({ wantsHeader: { name: 'x-key', value: 'right-0123456789' } })
    const id = await connect(team, server, { headers: { 'X-Key': 'wrong-0123456789' } })
    const plain = await startRun(team, await seedAgent(team, procedure, { connections: [id] }))
    provider.answer(
      { calls: [{ name: 'shop__not_available', arguments: {} }] },
      { calls: [{ name: 'shop__echo', arguments: { n: 2 } }] },
      { text: 'done' },
    )
    const data = { connections: [id], models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } }
    const modelled = await startRun(team, await seedAgent(team, 'Do it.', data), { message: 'go' })
    await drainRuns(service)
    for (const runId of [plain, modelled]) {
      const run = await readRun(team, runId)
      assert.deepEqual([run.status, run.waiting_on?.kind], ['waiting', 'connection'], JSON.stringify(run.error))
    }
    const body = { headers: { 'X-Key': 'right-0123456789' } }
    assert.equal((await team.call(`PATCH /v2/connections/${id}`, { body })).status, 200)
    await wakeWaitingRuns({ context, signal: new AbortController().signal })
    await drainRuns(service)
    assert.deepEqual((await readRun(team, plain)).output, { n: 1 })
    assert.equal((await readRun(team, modelled)).status, 'completed')
    assert.equal(server.calls.length, 2)
  },
)
