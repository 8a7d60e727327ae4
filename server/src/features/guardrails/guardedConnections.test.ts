// Guardrails and the tools of MCP connections: what a rule's name means, what a wait does not skip, and whom nobody asks.
import assert from 'node:assert/strict'
import { startMcpServer } from '../../../test/fakes/mcpServer.ts'
import { seedConnection } from '../../../test/kit/connections.ts'
import { setRules } from '../../../test/kit/guardrails.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
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
