// Two teams that call tools at the same time, on one process: no answer of one ever reaches the other.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after } from 'node:test'
import { seeders, seedTeam, type TestTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { proves } from './kit/proves.ts'

const calls = Number(process.env['RUNYARD_MCP_CALLS'] ?? 600)
const atOnce = 24

const service = await testApp()
const endpoint = new URL(`${await service.listen()}/v2/mcp?toolsets=all`)
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
after(() => agent.destroy())

interface Caller {
  team: TestTeam
  agentId: string
}

const callers: Caller[] = []
for (const name of ['Ours', 'Theirs']) {
  const team = await seedTeam(service, { name })
  callers.push({ team, agentId: await seeders['agent']!(team, {}) })
}

function post(key: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asked = request(endpoint, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => resolve(text))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}

/** In turn: a read without arguments, one of an own record, one of the other team's. The same ids are used by both teams. */
async function isOwn(place: number): Promise<boolean> {
  const own = callers[place % 2]!
  const other = callers[(place + 1) % 2]!
  const kind = Math.floor(place / 2) % 3
  const params = [
    { name: 'getTeam' },
    { name: 'getAgent', arguments: { agent_id: own.agentId } },
    { name: 'getAgent', arguments: { agent_id: other.agentId } },
  ][kind]
  const text = await post(own.team.key, { jsonrpc: '2.0', id: place >> 1, method: 'tools/call', params })
  const { id, result } = JSON.parse(text)
  const { isError, content, structuredContent } = result
  const isRight =
    kind === 2
      ? isError === true && JSON.parse(content[0].text).error === 'not_found'
      : (structuredContent.team?.id ?? structuredContent.agent?.team_id) === own.team.id
  return id === place >> 1 && isRight && !text.includes(other.team.id)
}

proves('mcp.interleaved', `of ${calls} interleaved calls of two teams none is crossed`, async (t) => {
  let next = 0
  let crossed = 0
  const startedAt = performance.now()
  const lane = async () => {
    while (next < calls) if (!(await isOwn(next++))) crossed += 1
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  t.diagnostic(`${calls} calls, ${crossed} crossed, ${Math.round(performance.now() - startedAt)} ms`)
  assert.equal(crossed, 0)
})
