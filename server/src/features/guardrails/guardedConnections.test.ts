// Guardrails and the tools of MCP connections: what a rule's name means, what a wait does not skip, and whom nobody asks.
import assert from 'node:assert/strict'
import { startMcpServer } from '../../../test/fakes/mcpServer.ts'
import { seedConnection } from '../../../test/kit/connections.ts'
import { quietNow, setRules, stopsOf } from '../../../test/kit/guardrails.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { ruleWords } from '../../engine/guardrails/rules.ts'
import { listTools } from '../connections/mcpTools/toolList.ts'
import { possibleNames } from '../connections/mcpTools/toolNames.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { context } = service
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const calls = (tool: string) => block(`tool name=${tool} id=it`, '{}') + block('output', 'done')

/** A connection to a server with one tool, `send`. */
async function connect(team: TestTeam, name: string) {
  const server = await startMcpServer({ tools: [{ name: 'send', description: 'Sends a message.' }] })
  const id = await seedConnection(service, team, { name, type: 'custom_mcp', server_url: server.url })
  const list = () => listTools(context, { id, team_id: team.id })
  return { server, id, list }
}

const requestOf = async (team: TestTeam, runId: string) =>
  (await team.call(`GET /v2/runs/${runId}`)).body.pending_human_request

proves('guardrails.asks', 'a rule about a tool of a connection applies whatever else the build lists', async () => {
  const team = await seedTeam(service)
  const older = await connect(team, 'Slack sales')
  const newer = await connect(team, 'Slack sales!')
  await Promise.all([older.list(), newer.list()])
  const named = { connection_id: newer.id, connection_name: 'Slack sales!', tools_prefix: null, name: 'send' }
  const [plain, suffixed] = possibleNames(named)
  assert.equal(plain, 'slack_sales__send')
  for (const [rule, called, connections] of [
    [plain, suffixed, [older.id, newer.id]],
    [plain, plain, [older.id, newer.id]],
    [suffixed, suffixed, [older.id, newer.id]],
    [suffixed, plain, [newer.id]],
  ] as const) {
    await setRules([service], team, { always_ask: [rule] })
    const runId = await startRun(team, await seedAgent(team, calls(called), { connections }))
    await drainRuns(service)
    assert.equal((await requestOf(team, runId))?.title, `Allow ${called}?`, `${rule} for ${called}`)
  }
  assert.deepEqual([older.server.calls.length, newer.server.calls.length], [0, 0])
})

proves('connections.pinnedWord', 'a person is asked about a call that waited while its tool changed', async () => {
  const team = await seedTeam(service)
  const { server, id, list } = await connect(team, 'Shop')
  await list()
  await setRules([service], team, quietNow())
  const runId = await startRun(team, await seedAgent(team, calls('shop__send'), { connections: [id] }))
  await drainRuns(service)
  assert.equal((await readRun(team, runId)).waiting_on.detail.rule, 'quiet_hours')
  server.tools[0]!.description = 'Sends a message to everybody.'
  await list()
  await setRules([service], team, {})
  await service.drain()
  await drainRuns(service)
  const request = await requestOf(team, runId)
  assert.match(request.description, /Shop has changed the description of this tool/)
  assert.deepEqual([request.title, server.calls.length], ['Allow shop__send?', 0])
  const body = { approved: true, action_hash: request.action.hash }
  assert.equal((await team.call(`POST /v2/runs/${runId}/human-requests/${request.id}/respond`, { body })).status, 200)
  await drainRuns(service)
  assert.deepEqual([(await readRun(team, runId)).output, server.calls.length], ['done', 1])
})

proves('guardrails.hosts', 'the server of a connection that is not allowed is not asked for its tools', async () => {
  for (const rules of [{ allowed_connections: [] }, { allowed_hosts: ['api.example.com'] }]) {
    const team = await seedTeam(service)
    const { server, id } = await connect(team, 'Shop')
    await setRules([service], team, rules)
    const agentId = await seedAgent(team, calls('shop__send'), { connections: [id] })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const rule = 'allowed_hosts' in rules ? 'allowed_hosts' : 'allowed_connections'
    const { status, error } = await readRun(team, runId)
    assert.equal(status, 'failed')
    assert.match(error.message, new RegExp(`version 1: ${ruleWords[rule]}`))
    assert.deepEqual([server.requests.length, (await stopsOf(team)).map((stop) => stop.rule)], [0, [rule]])
    await setRules([service], team, {})
    const allowed = await startRun(team, agentId)
    await drainRuns(service)
    assert.deepEqual([(await readRun(team, allowed)).output, server.calls.length], ['done', 1])
  }
})
