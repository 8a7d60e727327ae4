// Runs under guardrails: what is refused, what asks, what waits, and what a change of the rules does to runs under way.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { seedColleague } from '../../../test/kit/cases.ts'
import { seedConnection } from '../../../test/kit/connections.ts'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { quietNow, setRules, stopsOf } from '../../../test/kit/guardrails.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { outputTokensMax } from '../../engine/builds/models.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const address = await testDatabase()
const service = await testApp({
  address,
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: 'sk-ant-canary-1234567890', anthropicUrl: provider.url },
})
const { sql } = service.context.db
const receiver = await startReceiver()
const secretOf = (key: string) => ({ kind: 'headers', headers: { 'X-Key': key } }) as const
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const sends = (method: string, path = '/it') =>
  block('http id=it', `${method} ${receiver.url}${path}`) + block('output', 'sent {{ steps.it.output.status }}')

async function pendingOf(team: TestTeam, runId: string) {
  return (await team.call(`GET /v2/runs/${runId}`)).body.pending_human_request
}

const respond = (team: TestTeam, request: { id: string; run_id: string }, body: object) =>
  team.call(`POST /v2/runs/${request.run_id}/human-requests/${request.id}/respond`, { body })

const seenAt = (path: string): number => receiver.received.filter(({ url }) => url === path).length

proves('guardrails.hosts', 'a call to a host that is not allowed is not made, and says so', async () => {
  const team = await seedTeam(service)
  const version = await setRules([service], team, { allowed_hosts: ['api.example.com'] })
  const runId = await startRun(team, await seedAgent(team, sends('GET', '/forbidden')))
  await drainRuns(service)
  const run = await readRun(team, runId)
  assert.equal(run.status, 'failed')
  assert.match(run.error.message, /127\.0\.0\.1 is not among the allowed hosts.*version 1: allowed hosts/)
  assert.equal(seenAt('/forbidden'), 0)
  assert.deepEqual(await stopsOf(team), [{ run_id: runId, step: 1, rule: 'allowed_hosts', way: 'refused', version }])
  const { body } = await team.call('GET /v2/teams/:teamId/guardrails/stops')
  assert.deepEqual([body.total, body.stops[0].tool, body.stops[0].run_id], [1, 'http_request', runId])
  await setRules([service], team, { allowed_hosts: ['127.0.0.1'] })
  const allowed = await startRun(team, await seedAgent(team, sends('GET', '/permitted')))
  await drainRuns(service)
  assert.equal((await readRun(team, allowed)).output, 'sent 200')
})

proves('guardrails.hosts', 'a connection that is not allowed is not used, however the call names it', async () => {
  const team = await seedTeam(service)
  const bank = await seedConnection(service, team, {
    name: 'Bank',
    server_url: receiver.url,
    secret: secretOf('one-0123456789'),
  })
  const vault = await seedConnection(service, team, {
    name: 'Vault',
    server_url: receiver.url,
    secret: secretOf('two-0123456789'),
  })
  await setRules([service], team, { allowed_connections: [vault] })
  const uses = (connection: string) =>
    block(`http connection=${connection} id=it`, `GET ${receiver.url}/${connection}`) +
    block('output', 'sent {{ steps.it.output.status }}')
  for (const [name, output] of [
    ['Bank', null],
    [bank, null],
    ['Vault', 'sent 200'],
  ] as const) {
    const runId = await startRun(team, await seedAgent(team, uses(name), { connections: [bank, vault] }))
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.output, seenAt(`/${name}`)], [output, output === null ? 0 : 1])
    if (output === null) assert.match(run.error.message, /version 1: allowed connections/)
  }
  assert.deepEqual(
    (await stopsOf(team)).map(({ rule, way }) => [rule, way]),
    [
      ['allowed_connections', 'refused'],
      ['allowed_connections', 'refused'],
    ],
  )
})

proves('guardrails.asks', 'a tool that always asks waits for a person, and is made once they allow it', async () => {
  const team = await seedTeam(service)
  await setRules([service], team, { always_ask: ['http_*'] })
  const runId = await startRun(team, await seedAgent(team, sends('GET', '/asked')))
  await drainRuns(service)
  const request = await pendingOf(team, runId)
  assert.equal(request.title, 'Allow http_request?')
  assert.match(request.description, /guardrails, version 1: tools that always ask\.\)/)
  assert.deepEqual([request.approvals_needed, seenAt('/asked')], [1, 0])
  assert.equal((await respond(team, request, { approved: true })).status, 200)
  await drainRuns(service)
  assert.equal((await readRun(team, runId)).output, 'sent 200')
  assert.equal(seenAt('/asked'), 1)
})

proves(
  'guardrails.asks',
  'where the build asks already, one person is asked once and no rule stopped anything',
  async () => {
    const team = await seedTeam(service)
    await setRules([service], team, { always_ask: ['http_request'] })
    const agentId = await seedAgent(team, sends('GET', '/once'), { approvals: { http_request: 'always' } })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    await respond(team, await pendingOf(team, runId), { approved: true })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'sent 200')
    assert.deepEqual(await stopsOf(team), [])
  },
)

proves('guardrails.twoPeople', 'the second person’s approval makes the call, once', async () => {
  const team = await seedTeam(service)
  const colleague = await seedColleague(team, 'Second', ['runs:read', 'approvals:write'])
  await setRules([service], team, { two_person: ['http_request'] })
  const runId = await startRun(team, await seedAgent(team, sends('POST', '/paid')))
  await drainRuns(service)
  const request = await pendingOf(team, runId)
  assert.deepEqual([request.approvals_needed, request.approvals], [2, []])
  const first = await respond(team, request, { approved: true, action_hash: request.action.hash })
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(
    [
      first.body.human_request.status,
      first.body.human_request.approvals.map((one: { user_id: string }) => one.user_id),
    ],
    ['pending', [team.memberId]],
  )
  const again = await respond(team, request, { approved: true })
  assert.deepEqual([again.status, again.body.error], [409, 'conflict'])
  assert.match(again.body.message, /another person/)
  await drainRuns(service)
  assert.equal(seenAt('/paid'), 0)
  const inbox = await colleague.call(`GET /v2/human-requests/${request.id}`)
  assert.equal(inbox.body.human_request.approvals.length, 1)
  assert.doesNotMatch(inbox.body.human_request.consequences[0].leads_to, /one more person/)
  const second = await respond(colleague, request, { approved: true, action_hash: request.action.hash })
  assert.equal(second.body.human_request.status, 'responded', second.text)
  await drainRuns(service)
  assert.equal((await readRun(team, runId)).output, 'sent 200')
  assert.equal(seenAt('/paid'), 1)
  const told = (await readEvents(service, runId)).filter(({ event }) => event === 'human_request.responded')
  assert.equal(told.length, 1)
})

proves('guardrails.twoPeople', 'one rejection ends it, also after an approval', async () => {
  const team = await seedTeam(service)
  const colleague = await seedColleague(team, 'Second', ['runs:read', 'approvals:write'])
  await setRules([service], team, { two_person: ['http_request'] })
  const runId = await startRun(team, await seedAgent(team, sends('POST', '/rejected')))
  await drainRuns(service)
  const request = await pendingOf(team, runId)
  await respond(team, request, { approved: true })
  assert.equal((await respond(colleague, request, { approved: false })).body.human_request.status, 'responded')
  assert.equal((await respond(team, request, { approved: true })).body.error, 'human_request_closed')
  await drainRuns(service)
  const run = await readRun(team, runId)
  assert.deepEqual([run.status, seenAt('/rejected')], ['failed', 0])
})

proves(
  'guardrails.twoPeople',
  'whoever approved, was removed and is made a member again is one person, and what a viewer approved before does not count',
  async () => {
    const team = await seedTeam(service)
    const rights = ['runs:read', 'approvals:write']
    const [before, lowered] = [await seedColleague(team, 'Again', rights), await seedColleague(team, 'Lowered', rights)]
    await setRules([service], team, { two_person: ['http_request'] })
    const runId = await startRun(team, await seedAgent(team, sends('POST', '/again')))
    await drainRuns(service)
    const request = await pendingOf(team, runId)
    const approve = async (of: TestTeam) => {
      const { status, body, text } = await respond(of, request, { approved: true })
      assert.equal(status, 200, text)
      const { approvals } = body.human_request
      return [body.human_request.status, ...approvals.map(({ user_id }: { user_id: string }) => user_id)]
    }
    const change = async (of: TestTeam, method: 'DELETE' | 'PATCH', body?: object) =>
      assert.equal(
        (await team.call(`${method} /v2/teams/:teamId/members/${of.memberId}`, { ...(body && { body }) })).status,
        200,
      )
    assert.deepEqual(await approve(before), ['pending', before.memberId])
    await change(before, 'DELETE')
    assert.match((await team.call(`GET /v2/runs/${runId}/why`)).body.why, /want 2 people to approve, and none has/)
    const again = await seedColleague(team, 'Again', rights)
    assert.deepEqual(await approve(again), ['pending', again.memberId])
    await change(again, 'DELETE')
    assert.deepEqual(await approve(lowered), ['pending', lowered.memberId])
    await change(lowered, 'PATCH', { role: 'viewer' })
    assert.deepEqual(await approve(team), ['pending', team.memberId])
    await change(lowered, 'PATCH', { role: 'operator' })
    await drainRuns(service)
    assert.equal(seenAt('/again'), 0)
    const last = await seedColleague(team, 'Last', rights)
    assert.deepEqual(await approve(last), ['responded', team.memberId, last.memberId])
    await drainRuns(service)
    assert.equal(seenAt('/again'), 1)
  },
)

proves(
  'guardrails.twoPeople',
  'an approval does not count together with that of a person who is just being removed',
  async () => {
    const team = await seedTeam(service)
    const leaving = await seedColleague(team, 'Leaving', ['runs:read', 'approvals:write'])
    await setRules([service], team, { two_person: ['http_request'] })
    const runId = await startRun(team, await seedAgent(team, sends('POST', '/leaving')))
    await drainRuns(service)
    const request = await pendingOf(team, runId)
    await respond(leaving, request, { approved: true })
    const removal = await begin(address)
    await removal.its`update members set removed_at = now() where id = ${leaving.memberId}`
    const [me] = await removal.its<{ pid: number }>`select pg_backend_pid() as pid`
    const approving = respond(team, request, { approved: true })
    const isBlocked = async () =>
      (await sql`select from pg_stat_activity where ${me!.pid}::int = any(pg_blocking_pids(pid))`).length > 0
    while (!(await Promise.race([approving.then(() => true), isBlocked()])));
    await removal.commit()
    const { human_request: approved } = (await approving).body
    assert.deepEqual(
      [approved.status, approved.approvals.map(({ user_id }: { user_id: string }) => user_id)],
      ['pending', [team.memberId]],
    )
  },
)

proves(
  'guardrails.twoPeople',
  'a call that waits for its time after two approvals is asked about again if one of the two is removed until then',
  async () => {
    const team = await seedTeam(service)
    const leaving = await seedColleague(team, 'Leaving', ['runs:read', 'approvals:write'])
    await setRules([service], team, { two_person: ['http_request'], ...quietNow() })
    const runId = await startRun(team, await seedAgent(team, sends('POST', '/postponed')))
    await drainRuns(service)
    const request = await pendingOf(team, runId)
    for (const one of [leaving, team]) await respond(one, request, { approved: true })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).waiting_on.detail.rule, 'quiet_hours')
    await seedColleague(team, 'Another')
    assert.equal((await team.call(`DELETE /v2/teams/:teamId/members/${leaving.memberId}`)).status, 200)
    await setRules([service], team, { two_person: ['http_request'] })
    await service.drain()
    await drainRuns(service)
    const next = await pendingOf(team, runId)
    assert.deepEqual([next.approvals_needed, next.approvals, seenAt('/postponed')], [2, [], 0])
  },
)

proves('guardrails.takenBack', 'the first of two takes the approval back, and two must approve again', async () => {
  const team = await seedTeam(service)
  const colleague = await seedColleague(team, 'Second', ['runs:read', 'approvals:write'])
  await setRules([service], team, { two_person: ['http_request'] })
  const runId = await startRun(team, await seedAgent(team, sends('POST', '/reconsidered')))
  await drainRuns(service)
  const request = await pendingOf(team, runId)
  const withdraw = (of: TestTeam) => of.call(`POST /v2/runs/${runId}/human-requests/${request.id}/withdraw`)
  const early = await withdraw(team)
  assert.deepEqual([early.status, early.body.error], [409, 'conflict'])
  await respond(team, request, { approved: true })
  assert.match((await withdraw(colleague)).body.message, /You have not approved this/)
  const { body } = await team.call(`GET /v2/runs/${runId}/why`)
  assert.match(body.why, /want 2 people to approve, and 1 has/)
  assert.deepEqual([body.facts.human_request.approvals_needed, body.facts.human_request.approvals], [2, 1])
  const back = await withdraw(team)
  assert.equal(back.status, 200, back.text)
  assert.deepEqual([back.body.human_request.status, back.body.human_request.approvals], ['pending', []])
  assert.equal((await respond(colleague, request, { approved: true })).body.human_request.status, 'pending')
  await drainRuns(service)
  assert.equal(seenAt('/reconsidered'), 0)
  assert.equal((await respond(team, request, { approved: true })).body.human_request.status, 'responded')
  assert.equal((await withdraw(team)).body.error, 'human_request_closed')
  await drainRuns(service)
  assert.equal(seenAt('/reconsidered'), 1)
})

proves('guardrails.takenBack', 'who approved first can still reject', async () => {
  const team = await seedTeam(service)
  await seedColleague(team, 'Second', ['runs:read', 'approvals:write'])
  await setRules([service], team, { two_person: ['http_request'] })
  const runId = await startRun(team, await seedAgent(team, sends('POST', '/regretted')))
  await drainRuns(service)
  const request = await pendingOf(team, runId)
  await respond(team, request, { approved: true })
  assert.equal((await respond(team, request, { approved: false })).body.human_request.status, 'responded')
  await drainRuns(service)
  assert.deepEqual([(await readRun(team, runId)).status, seenAt('/regretted')], ['failed', 0])
})

proves(
  'guardrails.underWay',
  'a call that one person allowed is asked about again where two must by then',
  async () => {
    const team = await seedTeam(service)
    const colleague = await seedColleague(team, 'Second', ['runs:read', 'approvals:write'])
    const agentId = await seedAgent(team, sends('POST', '/narrowed'), { approvals: { http_request: 'always' } })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const request = await pendingOf(team, runId)
    await setRules([service], team, { two_person: ['http_request'] })
    await respond(team, request, { approved: true })
    await drainRuns(service)
    const next = await pendingOf(team, runId)
    assert.notEqual(next.id, request.id)
    assert.deepEqual([next.approvals_needed, seenAt('/narrowed')], [2, 0])
    await respond(colleague, next, { approved: true })
    await respond(team, next, { approved: true })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'sent 200')
    assert.equal(seenAt('/narrowed'), 1)
  },
)

proves('guardrails.underWay', 'rules that become live apply to the next call of a run under way', async () => {
  const team = await seedTeam(service)
  const procedure = block('ask', 'Ready?') + sends('GET', '/later')
  const runId = await startRun(team, await seedAgent(team, procedure))
  await drainRuns(service)
  await setRules([service], team, { allowed_hosts: [] })
  await respond(team, await pendingOf(team, runId), { answers: { 'Ready?': 'yes' } })
  await drainRuns(service)
  assert.deepEqual([(await readRun(team, runId)).status, seenAt('/later')], ['failed', 0])
})

proves(
  'guardrails.quietCalls',
  'in quiet hours an effect waits until the rules change, and reading does not',
  async () => {
    const team = await seedTeam(service)
    await setRules([service], team, quietNow())
    const reading = await startRun(team, await seedAgent(team, sends('GET', '/read')))
    const runId = await startRun(team, await seedAgent(team, sends('POST', '/written')))
    await drainRuns(service)
    assert.equal((await readRun(team, reading)).output, 'sent 200')
    const waiting = await readRun(team, runId)
    assert.deepEqual([waiting.status, waiting.waiting_on.kind], ['waiting', 'time'])
    assert.deepEqual([waiting.waiting_on.detail.reason, waiting.waiting_on.detail.rule], ['guardrail', 'quiet_hours'])
    assert.equal(seenAt('/written'), 0)
    assert.deepEqual(
      (await stopsOf(team)).map(({ run_id, rule, way }) => [run_id, rule, way]),
      [[runId, 'quiet_hours', 'waits']],
    )
    await setRules([service], team, {})
    await service.drain()
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'sent 200')
    assert.equal(seenAt('/written'), 1)
  },
)

proves('guardrails.quietCalls', 'a call that waits is made when the hours are over', async () => {
  const team = await seedTeam(service)
  await setRules([service], team, quietNow())
  const runId = await startRun(team, await seedAgent(team, sends('POST', '/overnight')))
  await drainRuns(service)
  const { until } = (await readRun(team, runId)).waiting_on.detail
  // a person's message wakes it too early: it waits on
  await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And?' } })
  await drainRuns(service)
  assert.deepEqual([(await readRun(team, runId)).status, seenAt('/overnight')], ['waiting', 0])
  service.clock.set(until)
  await sql`update runs set due_at = now() where id = ${runId}`
  await drainRuns(service)
  service.clock.set(new Date())
  assert.equal((await readRun(team, runId)).output, 'sent 200')
  assert.equal(seenAt('/overnight'), 1)
})

proves(
  'guardrails.quietCalls',
  'a call that waits is made at its time, or when the rules change, although its turn also waits for a person',
  async () => {
    const ask = { name: 'human_ask', arguments: { title: 'Ready?' } }
    for (const [path, end] of [
      ['/by-clock', 'hours'],
      ['/by-rules', 'rules'],
    ] as const) {
      const team = await seedTeam(service)
      await setRules([service], team, quietNow())
      const post = { name: 'http_request', arguments: { method: 'POST', url: `${receiver.url}${path}` } }
      provider.answer({ calls: [ask, post] }, { text: 'done' })
      const models = { agent: { model: 'anthropic:claude-sonnet-4-5' } }
      const runId = await startRun(team, await seedAgent(team, 'Do it.', { models, plugins: ['http', 'human'] }))
      await drainRuns(service)
      // whoever takes it up now finds the question first
      await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And?' } })
      await drainRuns(service)
      const waiting = await readRun(team, runId)
      assert.deepEqual([waiting.status, waiting.waiting_on.kind, seenAt(path)], ['waiting', 'human', 0])
      if (end === 'hours') {
        const [due] = await sql<{ due_at: Date | null }>`select due_at from runs where id = ${runId}`
        assert.ok(due!.due_at, 'the clock wakes it')
        service.clock.set(due!.due_at)
        await sql`update runs set due_at = now() where id = ${runId}`
      } else {
        await setRules([service], team, {})
        await service.drain()
      }
      await drainRuns(service)
      service.clock.set(new Date())
      assert.deepEqual([(await readRun(team, runId)).status, seenAt(path)], ['waiting', 1])
      await respond(team, await pendingOf(team, runId), { answers: { 'Ready?': 'yes' } })
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).output, 'done')
    }
  },
)

proves('guardrails.calls', 'at the bound of a day further calls wait for the next', async () => {
  const team = await seedTeam(service)
  await setRules([service], team, { outside_calls_per_day: 3 })
  const agentId = await seedAgent(team, sends('GET', '/counted'))
  const runs = await Promise.all(Array.from({ length: 5 }, () => startRun(team, agentId)))
  await drainRuns(service)
  const states = await Promise.all(runs.map(async (id) => (await readRun(team, id)).status as string))
  assert.deepEqual(
    states.toSorted((one, other) => one.localeCompare(other)),
    ['completed', 'completed', 'completed', 'waiting', 'waiting'],
  )
  assert.equal(seenAt('/counted'), 3)
  assert.equal((await team.call('GET /v2/teams/:teamId/guardrails')).body.today.outside_calls, 3)
  await setRules([service], team, { outside_calls_per_day: 5 })
  await service.drain()
  await drainRuns(service)
  assert.equal(seenAt('/counted'), 5)
})

proves(
  'guardrails.cost',
  'a model call that may not fit into the day waits, and later starts are refused',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
    const before = provider.requests.length
    await setRules([service], team, { cost_usd_per_day: '0.01' })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const waiting = await readRun(team, runId)
    assert.deepEqual([waiting.status, waiting.waiting_on.detail.rule], ['waiting', 'cost_usd_per_day'])
    assert.equal(provider.requests.length, before)
    provider.answer({ text: 'Done.', usage: { input: 1000, output: 1000 } })
    await setRules([service], team, { cost_usd_per_day: 1 })
    await service.drain()
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output], ['completed', 'Done.'])
    await setRules([service], team, { cost_usd_per_day: String(run.usage.cost_usd) })
    const refused = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId } })
    assert.deepEqual([refused.status, refused.body.error], [409, 'guardrail_reached'])
    assert.match(refused.body.message, /cost_usd_per_day/)
  },
)

proves('guardrails.cost', 'what calls of other runs under way may cost is held back', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
  // one worst case fits, two do not
  await setRules([service], team, { cost_usd_per_day: '0.2' })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  provider.answer({ text: 'One.', hold: held, usage: { input: 10, output: 2 } })
  const runs = await Promise.all([startRun(team, agentId), startRun(team, agentId)])
  const driven = drainRuns(service)
  const rows = () => sql<{ n: number }>`select count(*) as n from guardrail_stops where team_id = ${team.id}`
  while ((await rows())[0]!.n === 0) await sql`select`
  release()
  await driven
  const states = await Promise.all(runs.map(async (id) => (await readRun(team, id)).status as string))
  assert.deepEqual(
    states.toSorted((one, other) => one.localeCompare(other)),
    ['completed', 'waiting'],
  )
})

proves('guardrails.cost', 'a call under way counts also where the database has lost its hold', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
  // one worst case fits, two do not
  await setRules([service], team, { cost_usd_per_day: '0.2' })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  provider.answer({ text: 'One.', hold: held, usage: { input: 10, output: 2 } })
  const stateOf = async (runId: string) => {
    const [step] = await sql<{ state: string }>`select state from run_steps where run_id = ${runId} and kind = 'model'`
    return step?.state
  }
  const first = await startRun(team, agentId)
  const driven = drainRuns(service)
  while ((await stateOf(first)) !== 'intent') await sql`select`
  // as a crash of PostgreSQL does, whose commit was not on disk yet
  await sql`delete from guardrail_holds where team_id = ${team.id}`
  const second = await startRun(team, agentId)
  const both = Promise.all([driven, drainRuns(service)])
  while ((await stateOf(second)) === undefined) await sql`select`
  const state = await stateOf(second)
  release()
  await both
  assert.equal(state, 'waiting')
  assert.equal((await readRun(team, first)).status, 'completed')
})

proves(
  'guardrails.cost',
  'a model that is asked again after an answer of no use is paid from what is left',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
    // one worst case fits, two do not
    await setRules([service], team, { cost_usd_per_day: '0.2' })
    const before = provider.requests.length
    // neither text nor a call, at nearly the worst cost
    provider.answer({ usage: { input: 1000, output: 8000 } })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    await sql`update runs set due_at = now() where id = ${runId}`
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.waiting_on?.detail.rule], ['waiting', 'cost_usd_per_day'])
    assert.equal(provider.requests.length, before + 1)
  },
)

proves('guardrails.cost', 'a bound that is set during a turn bounds the answers of the next', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, 'Do it.', {
    models: { agent: { model: 'anthropic:claude-sonnet-4-5' } },
    plugins: ['memory'],
  })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const write = { name: 'memory_write', arguments: { path: 'a.md', content: 'A' } }
  const { promise: asked, resolve: begun } = Promise.withResolvers<void>()
  const before = provider.requests.length
  provider.answer(
    () => {
      begun()
      return { text: 'First.', calls: [write], hold: held, usage: { input: 10, output: 2 } }
    },
    { text: 'Done.', usage: { input: 20, output: 2 } },
  )
  const runId = await startRun(team, agentId)
  const driven = drainRuns(service)
  await asked
  await setRules([service], team, { cost_usd_per_day: '5' })
  release()
  await driven
  assert.equal((await readRun(team, runId)).output, 'Done.')
  const [first, second] = provider.requests.slice(before).map(({ body }) => body)
  assert.ok(first.max_tokens > outputTokensMax)
  assert.equal(second.max_tokens, outputTokensMax)
  // nothing else of the request is another
  assert.deepEqual(
    [second.tools.length, second.messages.length, second.messages[0].content[0].text],
    [first.tools.length, 3, first.messages[0].content[0].text],
  )
})

proves('guardrails.cost', 'holds of calls that are over are erased with the next one', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
  await setRules([service], team, { cost_usd_per_day: '5' })
  for (let n = 0; n < 4; n += 1) {
    provider.answer({ text: 'Done.', usage: { input: 10, output: 2 } })
    await startRun(team, agentId)
    await drainRuns(service)
  }
  const [{ holds } = { holds: 0 }] = await sql<{ holds: number }>`
    select count(*) as holds from guardrail_holds where team_id = ${team.id}`
  assert.equal(holds, 1)
})

proves('guardrails.cost', 'a call that a whole day cannot pay says so', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
  await setRules([service], team, { cost_usd_per_day: '0.000001' })
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  const { body } = await team.call(`GET /v2/runs/${runId}/why`)
  assert.match(body.why, /more than the 0\.000001 dollars of a whole day.*version 1: dollars a day/)
  assert.deepEqual(body.facts.guardrail, { rule: 'cost_usd_per_day', version: 1 })
})
