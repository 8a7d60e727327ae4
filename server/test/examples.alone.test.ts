// The examples, made into agents by their own script and run: each does what its README says.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { browserOf } from '../src/kit/browserOf.ts'
import { dispatchQueue } from '../src/features/queues/dispatch/dispatch.ts'
import { startMcpServer } from './fakes/mcpServer.ts'
import { needsBrowser } from './kit/browser.ts'
import { proves } from './kit/proves.ts'
import { drainRuns, readRun, startRun } from './kit/runs.ts'
import { seedTeam, type TestTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'

const examples = fileURLToPath(new URL('../../examples/', import.meta.url))
const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
after(() => browserOf(service.context).close())

/** Makes the agent of an example; its hosts below example.com become those of the test. */
async function makeAgent(
  team: TestTeam,
  example: string,
  given: { host?: string; data?: object } = {},
): Promise<string> {
  const { host = '', data = {} } = given
  const { stdout } = await promisify(execFile)(process.execPath, [
    `${examples}agent.mjs`,
    example,
    JSON.stringify(data),
  ])
  const body = stdout.replaceAll(/https:\/\/\w+\.example\.com/g, host)
  const made = await team.call('POST /v2/teams/:teamId/agents', { body })
  assert.equal(made.status, 201, made.text)
  return made.body.agent_id
}

const json = (body: object) => ({ type: 'application/json', body: JSON.stringify(body) })
const page = (body: string) => ({ type: 'text/html', body: `<!doctype html><title>Shop</title>${body}` })

/** A server on loopback that answers each `METHOD /path`; it lists what it got. */
async function startSite(answers: Record<string, { type: string; body: string }>) {
  const got: { route: string; body: string; key: string | undefined }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const route = `${request.method} ${request.url}`
      got.push({ route, body: Buffer.concat(chunks).toString(), key: request.headers['idempotency-key']?.toString() })
      const { type, body } = answers[route] ?? { type: 'text/plain', body: 'nothing here' }
      response.writeHead(route in answers ? 200 : 404, { 'content-type': type }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got }
}

/** Answers the request that the run waits with. */
async function respond(team: TestTeam, runId: string, body: object): Promise<void> {
  const { pending_human_request: request } = (await team.call(`GET /v2/runs/${runId}`)).body
  const answer = await team.call(`POST /v2/runs/${runId}/human-requests/${request.id}/respond`, { body })
  assert.equal(answer.status, 200, answer.text)
  await drainRuns(service)
}

// sdk/test/receivers.alone.test.ts runs the webhooks
proves('examples.run', 'every folder of the examples is run by a test', async () => {
  const folders = (await readdir(examples, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  assert.deepEqual(folders.map(({ name }) => name).toSorted(), [
    'data-import',
    'invoice-check',
    'mcp-user',
    'nightly-report',
    'support-queue',
    'webhooks',
  ])
})

proves('examples.run', 'invoice-check pays a small invoice at once and a large one after approval', async () => {
  const erp = await startSite({
    'GET /orders/87': json({ amount: 80 }),
    'GET /orders/88': json({ amount: 1200 }),
    'POST /payments': json({}),
  })
  const payments = () => erp.got.filter(({ route }) => route === 'POST /payments')
  const team = await seedTeam(service)
  const agent = await makeAgent(team, 'invoice-check', { host: erp.url })
  const invoice = { id: '1', supplier: 'Miller', amount: 80, order: '87' }
  const small = await startRun(team, agent, { message: invoice })
  await drainRuns(service)
  assert.deepEqual((await readRun(team, small)).output, { paid: 80, asked: false })
  const large = await startRun(team, agent, { message: { ...invoice, amount: 1200, order: '88' } })
  const refused = await startRun(team, agent, { message: { ...invoice, amount: 81 } })
  await drainRuns(service)
  assert.equal(payments().length, 1)
  await respond(team, large, { approved: true })
  assert.deepEqual((await readRun(team, large)).output, { paid: 1200, asked: true })
  await respond(team, refused, { approved: false })
  assert.equal((await readRun(team, refused)).error.code, 'rejected')
  assert.deepEqual(
    payments().map(({ body }) => JSON.parse(body).amount),
    [80, 1200],
  )
  assert.ok(payments().every(({ key }) => key !== undefined))
})

proves('examples.run', 'nightly-report compares the dashboard with the day before', needsBrowser, async () => {
  const answers = {
    'GET /dashboard': page('<a href=/today>Today</a>'),
    'GET /today': page('<section aria-label=Orders>12 orders</section>'),
  }
  const shop = await startSite(answers)
  const team = await seedTeam(service)
  const agent = await makeAgent(team, 'nightly-report', { host: shop.url })
  const first = await startRun(team, agent)
  await drainRuns(service)
  assert.match((await readRun(team, first)).output, /Today: [^]*12 orders[^]*The day before: unknown/)
  answers['GET /today'] = page('<section aria-label=Orders>15 orders</section>')
  const second = await startRun(team, agent)
  await drainRuns(service)
  assert.match((await readRun(team, second)).output, /Today: [^]*15 orders[^]*The day before: [^]*12 orders/)
  const timeline = await team.call(`GET /v2/agent-runs/${second}/screenshots/timeline`)
  assert.ok(timeline.body.screenshots.length >= 3, timeline.text)
})

proves('examples.run', 'support-queue answers the simple case and asks a person about the other', async () => {
  const team = await seedTeam(service)
  const agent = await makeAgent(team, 'support-queue')
  const queue = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Support', concurrency: 5 } })
  const queueId: string = queue.body.queue_id
  await team.call(`POST /v2/agents/${agent}/case-triggers`, { body: { case_queue_id: queueId, enabled: true } })
  const requests = [
    { kind: 'password', text: 'I forgot it.' },
    { kind: 'complaint', text: 'It does not light.' },
  ]
  const added = await team.call(`POST /v2/queues/${queueId}/cases`, {
    body: { cases: requests.map((data, index) => ({ title: `Mail ${index + 1}`, data: JSON.stringify(data) })) },
  })
  const [simple, other] = added.body.added_cases.map(({ id }: { id: string }) => id)
  assert.equal(await dispatchQueue(service.context, queueId), 2)
  await drainRuns(service)
  const readCase = async (id: string) => (await team.call(`GET /v2/cases/${id}`)).body.case
  assert.equal((await readCase(simple)).status, 'completed')
  assert.equal((await readCase(other)).display_status, 'needs_input')
  const { body } = await team.call(`GET /v2/cases/${other}/runs`)
  await respond(team, body.runs[0].id, { answers: { 'How do we answer?': 'Replace' } })
  const answered = await readCase(other)
  assert.deepEqual([answered.status, answered.result], ['completed', { answer: 'Replace' }])
})

proves('examples.run', 'data-import sorts out the rows that do not fit', async () => {
  const team = await seedTeam(service)
  const agent = await makeAgent(team, 'data-import')
  const { body } = await team.call('POST /v2/sandboxes')
  const uploaded = await team.call(`POST /v2/sandboxes/${body.sandbox_id}/files?path=in/orders.csv`, {
    body: 'id,customer,amount\n1,Ann,10.50\n2,Bob,many\n3,Cem,4\n4,Dan\n',
    headers: { 'content-type': 'text/csv' },
  })
  assert.equal(uploaded.status, 201, uploaded.text)
  const run = await startRun(team, agent, { sandbox_id: body.sandbox_id })
  await drainRuns(service)
  const { output, error } = await readRun(team, run)
  assert.deepEqual(output, { imported: { rows: 2, total: 14.5 }, refused: 2 }, JSON.stringify(error))
  const refused = await team.call(`GET /v2/runs/${run}/sandbox/files/content?path=out/refused.csv`)
  assert.match(refused.text, /2,Bob,many/)
})

proves('examples.run', 'mcp-user searches at once and writes only what a person approved', async () => {
  const library = await startMcpServer({
    tools: [
      {
        name: 'search',
        annotations: { readOnlyHint: true },
        answer: () => ({ content: [], structuredContent: { titles: ['Moby Dick'] } }),
      },
      { name: 'add_note', answer: () => ({ content: [], structuredContent: { done: true } }) },
    ],
  })
  const team = await seedTeam(service)
  const connection = await team.call('POST /v2/teams/:teamId/connections', {
    body: { name: 'Library', type: 'custom_mcp', server_url: library.url },
  })
  assert.equal(connection.status, 201, connection.text)
  const agent = await makeAgent(team, 'mcp-user', { data: { connections: [connection.body.connection_id] } })
  const run = await startRun(team, agent, { message: { topic: 'whales' } })
  await drainRuns(service)
  assert.deepEqual(
    library.calls.map(({ name }) => name),
    ['search'],
  )
  await respond(team, run, { approved: true })
  const { output, error } = await readRun(team, run)
  assert.deepEqual(output, { noted: true, title: 'Moby Dick' }, JSON.stringify(error))
  assert.deepEqual(library.calls.at(-1)?.arguments, { topic: 'whales', text: 'See Moby Dick.' })
})
