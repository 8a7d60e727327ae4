// Every way in which a run comes to be or reaches outside meets the same guardrails.
import assert from 'node:assert/strict'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { seedConnection } from '../../../test/kit/connections.ts'
import { quietNow, setRules, stopsOf } from '../../../test/kit/guardrails.ts'
import { callTool } from '../../../test/kit/mcp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { fireSchedules } from '../schedules/fireSchedules.ts'

const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1', 'localhost'], sandboxHosts: ['pypi.example.org'] },
})
const { sql } = service.context.db
const receiver = await startReceiver()
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const done = block('output', 'done')
const secretOf = (key: string) => ({ kind: 'headers', headers: { 'X-Key': key } }) as const
const post = (path: string) => block('http', `POST ${receiver.url}${path}`) + done
const seenAt = (path: string): number => receiver.received.filter(({ url }) => url === path).length

/** A run that starts another agent and answers with what that one answers. */
const parentOf = (team: TestTeam, child: string): Promise<string> =>
  seedAgent(team, block('tool name=agents_run id=it', `{"agent": "${child}"}`) + done, {
    plugins: ['agents'],
    subAgents: [child],
  })

async function ended(team: TestTeam, procedure: string, config: Record<string, unknown> = {}) {
  const runId = await startRun(team, await seedAgent(team, procedure, config))
  await drainRuns(service)
  return readRun(team, runId)
}

proves('guardrails.everywhere', 'the calls of a sub-run are judged as those of any run', async () => {
  const team = await seedTeam(service)
  const parent = await parentOf(team, await seedAgent(team, post('/sub')))
  await setRules([service], team, quietNow())
  const runId = await startRun(team, parent)
  await drainRuns(service)
  const waiting = await readRun(team, runId)
  assert.deepEqual([waiting.status, waiting.waiting_on.kind], ['waiting', 'sub_run'])
  const { body } = await team.call(`GET /v2/runs/${waiting.waiting_on.detail.run_id}/why`)
  assert.deepEqual(body.facts.guardrail, { rule: 'quiet_hours', version: 1 })
  await setRules([service], team, { allowed_hosts: [] })
  await service.drain()
  await drainRuns(service)
  assert.deepEqual([(await readRun(team, runId)).status, seenAt('/sub')], ['failed', 0])
})

proves('guardrails.everywhere', 'starting another agent asks where a rule says so', async () => {
  const team = await seedTeam(service)
  const parent = await parentOf(team, await seedAgent(team, done))
  await setRules([service], team, { always_ask: ['agents_*'] })
  const runId = await startRun(team, parent)
  await drainRuns(service)
  const { body } = await team.call(`GET /v2/runs/${runId}`)
  assert.equal(body.pending_human_request.title, 'Allow agents_run?')
  const [{ runs } = { runs: 0 }] = await sql<{ runs: number }>`
    select count(*) as runs from runs where team_id = ${team.id}`
  assert.equal(runs, 1)
})

proves(
  'guardrails.everywhere',
  'at the bound of a day sub-runs, schedules and starts over MCP are refused',
  async () => {
    const team = await seedTeam(service)
    const plain = await seedAgent(team, done)
    const parent = await parentOf(team, plain)
    const { body: schedule } = await team.call(`POST /v2/agents/${plain}/schedules`, {
      body: { frequency: 'daily', time: '09:00' },
    })
    await setRules([service], team, { runs_per_day: 1 })
    const runId = await startRun(team, parent)
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'failed')
    assert.match(run.error.message, /was not started.*runs_per_day/)
    await sql`update schedules set next_run_at = now() - interval '1 second' where id = ${schedule.id}`
    await fireSchedules({ context: service.context, signal: new AbortController().signal })
    const { body: listed } = await team.call(`GET /v2/agents/${plain}/schedules`)
    assert.match(listed.schedules[0].last_skipped_reason, /runs_per_day/)
    const refused = await callTool(team, 'startRun', { agent_id: plain })
    assert.deepEqual([refused.isError, refused.value.error], [true, 'guardrail_reached'])
    const [{ runs } = { runs: 0 }] = await sql<{ runs: number }>`
    select count(*) as runs from runs where team_id = ${team.id}`
    assert.equal(runs, 1)
  },
)

proves('guardrails.everywhere', 'a connection that is renamed stays the one that is allowed or not', async () => {
  const team = await seedTeam(service)
  const [bank, vault] = [
    await seedConnection(service, team, { name: 'Bank', server_url: receiver.url, secret: secretOf('one-0123456789') }),
    await seedConnection(service, team, {
      name: 'Vault',
      server_url: receiver.url,
      secret: secretOf('two-0123456789'),
    }),
  ]
  await setRules([service], team, { allowed_connections: [vault] })
  const uses = (name: string, path: string) => block(`http connection=${name}`, `GET ${receiver.url}${path}`) + done
  const config = { connections: [bank, vault] }
  // whoever may rename connections cannot give one the rights of the other
  for (const [id, name] of [
    [vault, 'Safe'],
    [bank, 'Vault'],
  ])
    assert.equal((await team.call(`PATCH /v2/connections/${id}`, { body: { name } })).status, 200)
  const taken = await ended(team, uses('Vault', '/renamed'), config)
  assert.match(taken.error.message, /version 1: allowed connections/)
  assert.equal(seenAt('/renamed'), 0)
  assert.equal((await ended(team, uses('Safe', '/safe'), config)).status, 'completed')
})

proves(
  'guardrails.everywhere',
  'a command in a sandbox runs only where every host it may reach is allowed',
  async () => {
    const team = await seedTeam(service)
    await setRules([service], team, { allowed_hosts: ['127.0.0.1'] })
    const refused = await ended(team, block('bash', 'echo ran') + done)
    assert.match(refused.error.message, /pypi\.example\.org is not among the allowed hosts/)
    await setRules([service], team, { ...quietNow(), allowed_hosts: ['*.example.org'] })
    const waits = await ended(team, block('bash', 'echo ran') + done)
    assert.deepEqual([waits.status, waits.waiting_on.detail.rule], ['waiting', 'quiet_hours'])
  },
)

proves('guardrails.everywhere', 'a list of browser actions asks for each tool whose work it does', async () => {
  const team = await seedTeam(service)
  await setRules([service], team, { always_ask: ['browser_click'] })
  const runId = await startRun(team, await seedAgent(team, block('browser', `open ${receiver.url}\nclick Send`) + done))
  await drainRuns(service)
  const { body } = await team.call(`GET /v2/runs/${runId}`)
  assert.equal(body.pending_human_request.title, 'Allow browser_do?')
  assert.deepEqual(
    (await stopsOf(team)).map(({ rule, way }) => [rule, way]),
    [['always_ask', 'asks']],
  )
})

proves('guardrails.everywhere', 'a click waits in quiet hours, and a page of another host is not opened', async () => {
  const team = await seedTeam(service)
  await setRules([service], team, quietNow())
  const waits = await ended(team, block('browser', `open ${receiver.url}\nclick Send`) + done)
  assert.deepEqual([waits.status, waits.waiting_on.detail.rule], ['waiting', 'quiet_hours'])
  await setRules([service], team, { allowed_hosts: ['api.example.com'] })
  const refused = await ended(team, block('browser', `open ${receiver.url}/page`) + done)
  assert.match(refused.error.message, /127\.0\.0\.1 is not among the allowed hosts/)
  assert.equal(seenAt('/page'), 0)
})

proves(
  'guardrails.everywhere',
  'what a page loads from a host that is not allowed is not fetched',
  needsBrowser,
  async () => {
    const team = await seedTeam(service)
    await setRules([service], team, { allowed_hosts: ['127.0.0.1'] })
    const elsewhere = receiver.url.replace('127.0.0.1', 'localhost')
    receiver.answer(200, { 'content-type': 'text/html' }, `<title>Page</title><img src="${elsewhere}/tracker">`)
    await ended(team, block('browser', `open ${receiver.url}/with-image`) + done)
    receiver.answer(200)
    assert.deepEqual([seenAt('/with-image'), seenAt('/tracker')], [1, 0])
  },
)

proves('guardrails.everywhere', 'the largest set of rules is taken, judges, and a larger one is refused', async () => {
  const team = await seedTeam(service)
  const always_ask = Array.from({ length: 100 }, (_, n) => `${'*a'.repeat(20)}*_${n}`)
  const allowed_hosts = [...Array.from({ length: 199 }, (_, n) => `*.host-${n}.example.com`), '127.0.0.1']
  const quiet_hours = Array.from({ length: 50 }, (_, n) => ({
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    from: `${String(n % 24).padStart(2, '0')}:00`,
    to: `${String(n % 24).padStart(2, '0')}:01`,
  }))
  const rules = { always_ask, allowed_hosts, outside_calls_per_day: 1_000_000_000, runs_per_day: 1_000_000_000 }
  await setRules([service], team, rules)
  assert.equal((await ended(team, post('/largest'))).status, 'completed')
  const larger = await team.call('PUT /v2/teams/:teamId/guardrails', {
    body: {
      rules: { ...rules, two_person: Array.from({ length: 100 }, (_, n) => `${'b'.repeat(190)}_${n}`), quiet_hours },
    },
  })
  assert.equal(larger.status, 400)
  assert.match(larger.body.message, /larger than 16 KiB/)
})
