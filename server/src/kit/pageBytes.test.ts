// A page of any list is bounded in bytes, whatever a team stores in its rows; a row by itself is always whole.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readRun, seedAgent, startRun } from '../../test/kit/runs.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { pageBytesMax } from './pageBytes.ts'
import { runEvents } from './readEvents.ts'
import { proves } from '../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db
const team = await seedTeam(service)

const mebibyte = 1024 * 1024
const large = randomBytes(0.7 * mebibyte).toString('base64')
assert.ok(large.length > 900_000)
const rows = 6
const many = Array.from({ length: rows }, (_, index) => index)

interface Listed {
  truncated?: boolean
}

/** Four rows of nearly 1 MiB fit; the others are cut. */
function assertBounded(page: Listed[], bytes: number, fitting = 4): void {
  assert.ok(page.length >= rows)
  assert.ok(bytes < pageBytesMax + mebibyte, `${bytes} bytes`)
  assert.deepEqual(
    page.map(({ truncated }) => truncated ?? false),
    page.map((_, index) => index >= fitting),
  )
  assert.ok(page.slice(0, fitting).every((row) => !('truncated' in row)))
}

const isCut = (text: unknown): boolean =>
  typeof text === 'string' && text.length < 1100 && text.endsWith('[cut: this page is too large]')

async function read<Page>(path: string): Promise<{ page: Page; bytes: number }> {
  const { status, body } = await team.call(`GET ${path}`)
  assert.equal(status, 200)
  return { page: body as Page, bytes: Buffer.byteLength(JSON.stringify(body)) }
}

const echo = await seedAgent(team, '```output\n{{ message }}\n```\n')

proves('lists.bytes', 'a page of runs is bounded in bytes, and each run by itself is whole', async () => {
  for (const _ of many) await startRun(team, echo, { message: large })
  type Runs = { data: (Listed & { id: string; message: string; output: unknown })[]; total: number }
  const { page, bytes } = await read<Runs>('/v2/teams/:teamId/runs?limit=100')
  assertBounded(page.data, bytes)
  assert.equal(page.total, rows)
  assert.equal(page.data[3]!.message, large)
  assert.ok(isCut(page.data[4]!.message))
  assert.equal((await readRun(team, page.data[4]!.id)).message, large)
  const next = await read<Runs>('/v2/teams/:teamId/runs?limit=1&offset=4')
  assert.equal(next.page.data[0]!.message, large)
  // an output counts like a message: half as many runs fit
  await sql`update runs set output = ${JSON.stringify({ large })}::jsonb where team_id = ${team.id}`
  const ended = await read<Runs>('/v2/teams/:teamId/runs?limit=100')
  assert.ok(ended.bytes < pageBytesMax + mebibyte, `${ended.bytes} bytes`)
  assert.deepEqual(ended.page.data[1]!.output, { large })
  assert.ok(isCut(ended.page.data[2]!.output))
})

proves('lists.bytes', 'a page of messages is bounded in bytes, and its first message is whole', async () => {
  const runId = await startRun(team, echo, { message: 'hello' })
  await sql`delete from run_messages where run_id = ${runId}`
  const call = JSON.stringify({ id: 'call', name: 'http_request', arguments: { body: large } })
  await sql`
    insert into run_messages (run_id, seq, id, turn, type, role, text_content, tool_call, "timestamp")
    select ${runId}, n, gen_random_uuid(), 1, 'text', 'user', case when n % 2 = 1 then ${large} end,
      case when n % 2 = 0 then ${call}::jsonb end, now() from generate_series(1, ${rows}::int) n`
  type Messages = { messages: (Listed & { text_content: string; tool_call: { id: string; arguments: unknown } })[] }
  const { page, bytes } = await read<Messages>(`/v2/runs/${runId}/messages?limit=500`)
  assertBounded(page.messages, bytes)
  assert.ok(isCut(page.messages[4]!.text_content))
  assert.equal(page.messages[5]!.tool_call.id, 'call')
  assert.ok(isCut(page.messages[5]!.tool_call.arguments))
  const single = await read<Messages>(`/v2/runs/${runId}/messages?limit=1&offset=4`)
  assert.equal(single.page.messages[0]!.text_content, large)
})

proves('lists.bytes', 'a page of cases is bounded in bytes, by their results too', async () => {
  const queue = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Long results' } })
  const cases = many.map((index) => ({ title: `Case ${index}`, data: 'kept' }))
  const path = `/v2/queues/${queue.body.queue_id}/cases`
  const made = await team.call(`POST ${path}`, { body: { cases } })
  assert.equal(made.status, 201)
  await sql`update cases set result = ${JSON.stringify({ text: large })}::jsonb where queue_id = ${queue.body.queue_id}`
  type Cases = { cases: (Listed & { id: string; data: string; result: unknown })[] }
  const { page, bytes } = await read<Cases>(`${path}?limit=100`)
  assertBounded(page.cases, bytes)
  assert.equal(page.cases[4]!.data, 'kept')
  assert.ok(isCut(page.cases[4]!.result))
  const { body } = await team.call(`GET /v2/cases/${page.cases[4]!.id}`)
  assert.deepEqual(body.case.result, { text: large })
})

proves('lists.bytes', 'pages of revisions and of agents are bounded in bytes', async () => {
  const other = await seedTeam(service)
  const config = {
    version: 'v2',
    data: { input: 'Say hello.', notes: large.slice(0, 480_000) },
  }
  // a config has 512 KiB at most, so eight of them fit
  const configs = 12
  for (let count = 0; count < configs; count++) {
    const made = await other.call('POST /v2/teams/:teamId/agents', { body: { build: { config } } })
    assert.equal(made.status, 201, made.text)
  }
  const agents = await other.call('GET /v2/teams/:teamId/agents?limit=100')
  const builds: (Listed & { config: typeof config })[] = agents.body.agents.map(
    ({ latest_build }: { latest_build: object }) => latest_build,
  )
  assertBounded(builds, Buffer.byteLength(JSON.stringify(agents.body)), 8)
  assert.deepEqual([builds[0]!.config, builds[8]!.config.version], [config, 'v2'])
  assert.ok(isCut(builds[8]!.config.data.input))
  const [first] = agents.body.agents
  for (let count = 1; count < configs; count++) await other.call(`POST /v2/agents/${first.id}/revisions`, { body: {} })
  const revisions = await other.call(`GET /v2/agents/${first.id}/revisions?limit=100`)
  assertBounded(revisions.body.builds, Buffer.byteLength(JSON.stringify(revisions.body)), 8)
})

proves(
  'lists.bytes',
  'a page of human requests is bounded in bytes, and the request that is open is whole',
  async () => {
    const runId = await startRun(team, echo, { message: 'hello' })
    const action = JSON.stringify({ tool: 'http_request', arguments: { body: large }, hash: 'x' })
    await sql`
    insert into human_requests (id, team_id, run_id, step, type, title, action, status)
    select gen_random_uuid(), ${team.id}, ${runId}, n, 'approval', 'Send it?', ${action}::jsonb,
      case when n = ${rows} then 'pending' else 'cancelled' end from generate_series(1, ${rows}::int) n`
    await sql`update human_requests set created_at = now() + step * interval '1 second' where run_id = ${runId}`
    const { body } = await team.call('GET /v2/teams/:teamId/human-requests?status=all&limit=200')
    assertBounded(body.human_requests, Buffer.byteLength(JSON.stringify(body)))
    const run = await team.call(`GET /v2/agent/${echo}/runs/${runId}`)
    assertBounded(run.body.human_requests, Buffer.byteLength(JSON.stringify(run.body)) - 2 * mebibyte)
    assert.equal(run.body.human_requests[rows - 1].action.hash, 'x')
    assert.equal(run.body.pending_human_request.action.arguments.body, large)
  },
)

proves('lists.bytes', 'streams read events in batches that are bounded in bytes, and lose none', async () => {
  const runId = await startRun(team, echo, { message: 'hello' })
  await sql`delete from event_batches where run_id = ${runId}`
  await sql`
    insert into events (id, team_id, run_id, sequence, event, data)
    select gen_random_uuid(), ${team.id}, ${runId}, n, 'run.completed', ${JSON.stringify({ output: large })}::json
    from generate_series(1, 3) n`
  await sql`update runs set event_seq = 3 where id = ${runId}`
  const seen: number[] = []
  for (let after = 0; after < 3; after = seen.at(-1)!) {
    const [batch] = await runEvents(sql, [{ teamId: team.id, runId, after }])
    assert.deepEqual([batch!.events.length, batch!.isMore], [1, after < 2])
    seen.push(batch!.events[0]!.place)
  }
  assert.deepEqual(seen, [1, 2, 3])
})
