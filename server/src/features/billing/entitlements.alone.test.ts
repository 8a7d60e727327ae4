// Limits of a team as its callers meet them: kept to the last one by every way to use more, over two processes on one database.
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { Client } from 'pg'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { seedCases, seedQueue, seedWorker } from '../../../test/kit/cases.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp, type Answer, type TestApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { engineOf } from '../../engine/engine.ts'
import type { EntitlementKey, LimitKey } from '../../engine/counting/entitlements.ts'
import { setEntitlement, unsetEntitlement } from '../../engine/counting/setEntitlement.ts'
import { dispatchQueue } from '../queues/dispatch/dispatch.ts'
import { fireSchedules } from '../schedules/fireSchedules.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const [one, two] = await Promise.all([testApp({ address }), testApp({ address })])
const { sql } = one.context.db
const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const procedure = fenced('output', 'done')

/** Both processes hear of changes from here on: the listening connection is made in the background. */
for (const { context } of [one, two]) {
  const { entitlements } = engineOf(context)
  await entitlements.refresh()
  while (entitlements.changes() === 0) await sql`select pg_notify('entitlements', '')`
}

/** Returns when the process has heard of every change so far: it hears of them in the order of their commits. */
async function untilAllHeard({ context }: TestApp): Promise<void> {
  const word = newId()
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  const stop = context.listener.on('entitlements', (payload) => payload === word && resolve())
  await sql`select pg_notify('entitlements', ${word})`
  await heard
  stop()
}

/** Sets a limit, and returns when both processes have heard of it. */
async function limit(team: TestTeam, key: LimitKey, value: number | string): Promise<void> {
  await setEntitlement(sql, team.id, key, String(value))
  await untilKnown(team, key, true)
}

/** Makes the limit look as if it was set long ago: the counter is no longer checked against the records. */
async function settle(team: TestTeam): Promise<void> {
  await sql`update entitlements set set_at = now() - interval '1 hour' where team_id = ${team.id}`
}

const counted = async (team: TestTeam): Promise<number> =>
  (await sql<{ used: number }>`select used from monthly_runs where team_id = ${team.id}`)[0]!.used

async function untilKnown(team: TestTeam, key: LimitKey, isSet: boolean): Promise<void> {
  for (const { context } of [one, two]) {
    const { entitlements } = engineOf(context)
    while (entitlements.has(team.id, key) !== isSet) await Promise.all([entitlements.refresh(), sql`select`])
  }
}

/** The same team, called through the other process. */
const through = (app: TestApp, team: TestTeam): TestTeam => ({
  ...team,
  call: (route, options) => app.call(route.replace(':teamId', team.id), { key: team.key, ...options }),
})

const start = (team: TestTeam, agentId: string, idempotencyKey?: string): Promise<Answer> =>
  team.call('POST /v2/teams/:teamId/runs', {
    body: { agent_id: agentId },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })

const statusesOf = (answers: Answer[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status, body }) => `${status} ${body.error ?? ''}`.trim())].map(([key, all]) => [
      key,
      all.length,
    ]),
  )

const runsOf = async (team: TestTeam): Promise<number> =>
  (await sql<{ runs: number }>`select count(*) as runs from runs where team_id = ${team.id}`)[0]!.runs

async function entitlementOf(team: TestTeam, key: EntitlementKey) {
  const { status, body } = await team.call('GET /v2/teams/:teamId/billing/entitlements')
  assert.equal(status, 200)
  return body.entitlements.find((entitlement: { key: string }) => entitlement.key === key)
}

proves('entitlements.read', 'a team reads its limits and how much of each it uses', async () => {
  const team = await seedTeam(one)
  const agentId = await seedAgent(team, fenced('approve', 'Go on?'))
  await startRun(team, agentId)
  await drainRuns(one)
  const { body } = await team.call('GET /v2/teams/:teamId/billing/entitlements')
  const shown = body.entitlements.map(({ key, enabled, limit: most, used, unit }: Record<string, unknown>) => {
    return [key, enabled, most, used, unit]
  })
  assert.deepEqual(shown, [
    ['max_concurrent_runs', true, 50, 0, 'runs'],
    ['monthly_runs', true, null, 1, 'runs'],
    ['monthly_cost_usd', true, null, 0, 'usd'],
    ['storage_bytes', true, 10 * 1024 ** 3, 0, 'bytes'],
    ['agents', true, null, 1, 'agents'],
  ])
  assert.deepEqual([body.plan, body.team_id], ['self_hosted', team.id])
  await limit(team, 'monthly_cost_usd', '12.5')
  await limit(team, 'agents', 0)
  assert.deepEqual([(await entitlementOf(team, 'monthly_cost_usd')).limit], [12.5])
  assert.deepEqual([(await entitlementOf(team, 'agents')).enabled], [false])
  const other = await seedTeam(one)
  assert.equal((await entitlementOf(other, 'agents')).limit, null)
  assert.equal((await other.call(`GET /v2/teams/${team.id}/billing/entitlements`)).status, 403)
})

proves(
  'entitlements.monthlyRuns',
  'of four hundred starts at the same time, over two processes, exactly as many begin as the month has left',
  async () => {
    const team = await seedTeam(one)
    const other = await seedTeam(one)
    const [agentId, agentOfOther] = await Promise.all([seedAgent(team, procedure), seedAgent(other, procedure)])
    await limit(team, 'monthly_runs', 50)
    await settle(team)
    const asked = Array.from({ length: 400 }, (_, index) => {
      // two thirds with a key, each of those sent to both processes
      const key = index % 3 === 0 ? undefined : `start ${index - (index % 3)}`
      return start(through(index % 2 === 0 ? one : two, team), agentId, key)
    })
    const answers = await Promise.all([...asked, start(other, agentOfOther)])
    assert.equal(answers.pop()!.status, 201, 'another team has nothing to do with it')
    assert.equal(await runsOf(team), 50)
    const started = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.run_id))
    assert.equal(started.size, 50)
    const refusal = answers.find(({ body }) => body.error === 'entitlement_exceeded')
    const others = answers.filter(({ status, body }) => status !== 201 && body.error !== 'entitlement_exceeded')
    // rate_limited: on a busy machine some may wait for the database for longer than they are let wait
    assert.ok(
      others.every(({ body }) => ['idempotency_key_in_use', 'rate_limited'].includes(body.error)),
      JSON.stringify(statusesOf(others)),
    )
    assert.match(
      refusal!.body.message,
      /may start 50 runs a month \(monthly_runs\), and 50 are started\. The next month begins at \d{4}-\d\d-01T00:00:00Z/,
    )
    assert.equal((await entitlementOf(team, 'monthly_runs')).used, 50)
    const [left] = await sql`
    select count(*) as events from events
    where team_id = ${team.id} and not exists (select from runs r where r.id = events.run_id)`
    assert.deepEqual([await counted(team), left!['events']], [50, 0])
  },
)

proves(
  'entitlements.replay',
  'a refusal is replayed by its key like any other, also when the limit was raised since then',
  async () => {
    const team = await seedTeam(one)
    const agentId = await seedAgent(team, procedure)
    await limit(team, 'monthly_runs', 1)
    const first = await start(team, agentId, 'first')
    const second = await start(team, agentId, 'second')
    assert.deepEqual([first.status, second.status, second.body.error], [201, 403, 'entitlement_exceeded'])
    await limit(team, 'monthly_runs', 2)
    const again = await start(through(two, team), agentId, 'second')
    assert.deepEqual([again.text, again.headers['idempotency-replayed']], [second.text, 'true'])
    assert.equal((await start(through(two, team), agentId, 'third')).status, 201)
    assert.equal(await runsOf(team), 2)
  },
)

proves(
  'entitlements.midMonth',
  'a limit that is set in the middle of a month counts what was started before, erased runs too',
  async () => {
    const team = await seedTeam(one)
    const agentId = await seedAgent(team, procedure)
    const gone = await startRun(team, agentId)
    await startRun(team, agentId)
    await drainRuns(one)
    assert.equal((await team.call(`DELETE /v2/runs/${gone}`)).status, 200)
    await one.drain()
    await limit(team, 'monthly_runs', 3)
    assert.equal((await start(team, agentId)).status, 201)
    assert.equal((await start(through(two, team), agentId)).body.error, 'entitlement_exceeded')
    await unsetEntitlement(sql, team.id, 'monthly_runs')
    await untilKnown(team, 'monthly_runs', false)
    assert.equal((await start(through(two, team), agentId)).status, 201)
    await limit(team, 'monthly_runs', 4)
    assert.equal((await start(team, agentId)).body.error, 'entitlement_exceeded', 'what was started without it counts')
  },
)

const tick = () => fireSchedules({ context: one.context, signal: new AbortController().signal })

proves(
  'entitlements.everyWay',
  'retries, sub-runs, schedules and cases count as starts do, and each reports in its own way that the limit is reached',
  async () => {
    const team = await seedTeam(one)
    const plain = await seedAgent(team, procedure)
    const parent = await seedAgent(team, fenced('tool name=agents_run', `{"agent": "${plain}"}`), {
      plugins: ['agents'],
      subAgents: [plain],
    })
    const queueId = await seedQueue(team)
    await seedWorker(team, queueId)
    const [firstCase, secondCase] = await seedCases(team, queueId, 2)
    const schedule = await team.call(`POST /v2/agents/${plain}/schedules`, {
      body: { frequency: 'monthly', time: '09:00', day_of_month: 1, recurring: false },
    })
    const makeDue = () =>
      sql`update schedules set next_run_at = now() - interval '1 second' where id = ${schedule.body.id}`
    const readCases = () => sql<{ id: string; display_status: string }>`
    select id, display_status from cases where queue_id = ${queueId} order by created_at`

    await limit(team, 'monthly_runs', 3)
    await settle(team)
    const begun = await startRun(team, plain)
    await drainRuns(one)
    assert.equal((await team.call(`POST /v2/runs/${begun}/retry`, { body: {} })).status, 201)
    assert.equal(await dispatchQueue(one.context, queueId), 1, 'one of two cases fits')
    assert.deepEqual(await readCases(), [
      { id: firstCase!, display_status: 'in_progress' },
      { id: secondCase!, display_status: 'pending' },
    ])
    assert.equal(await runsOf(team), 3)

    const retried = await team.call(`POST /v2/runs/${begun}/retry`, { body: {} })
    assert.deepEqual([retried.status, retried.body.error], [403, 'entitlement_exceeded'])
    await makeDue()
    await tick()
    const { body: listed } = await team.call(`GET /v2/agents/${plain}/schedules`)
    const [skipped] = listed.schedules
    assert.match(skipped.last_skipped_reason, /monthly_runs/)
    assert.deepEqual([skipped.enabled, skipped.last_run_id, skipped.auto_disabled_at], [true, null, null])
    assert.ok(new Date(skipped.next_run_at) > new Date(skipped.last_skipped_at), 'it is to fire at its next time')
    assert.equal(await dispatchQueue(two.context, queueId), 0)
    assert.equal(await runsOf(team), 3)

    await limit(team, 'monthly_runs', 4)
    await settle(team)
    const asking = await startRun(team, parent)
    await drainRuns(one)
    const { status, error } = await readRun(team, asking)
    assert.equal(status, 'failed')
    assert.match(error.message, /was not started.*monthly_runs/)

    await limit(team, 'monthly_runs', 6)
    await settle(team)
    await startRun(through(two, team), parent)
    await drainRuns(one)
    await makeDue()
    await tick()
    const { body: relisted } = await team.call(`GET /v2/agents/${plain}/schedules`)
    assert.deepEqual([await runsOf(team), await counted(team)], [6, 6])
    assert.equal(relisted.schedules[0].last_run_id, null, 'the sub-run took the last')
    await unsetEntitlement(sql, team.id, 'monthly_runs')
    await untilKnown(team, 'monthly_runs', false)
    await makeDue()
    await tick()
    // the process is told of the change, and then looks again
    while ((await dispatchQueue(one.context, queueId)) === 0) await sql`select`
    const statuses = (await readCases()).map(({ display_status }) => display_status)
    assert.ok(statuses.length === 2 && !statuses.includes('pending'), statuses.join(', '))
    assert.equal(await runsOf(team), 8)
  },
)

proves(
  'entitlements.everyWay',
  'starts of every kind at the same time, over two processes, take exactly what the month has left',
  async () => {
    const team = await seedTeam(one)
    const plain = await seedAgent(team, procedure)
    const parent = await seedAgent(team, fenced('tool name=agents_run', `{"agent": "${plain}"}`), {
      plugins: ['agents'],
      subAgents: [plain],
    })
    const begun = await startRun(team, plain)
    await drainRuns(one)
    for (let n = 0; n < 4; n++) await startRun(team, parent)
    const queueId = await seedQueue(team)
    await seedWorker(team, queueId)
    await seedCases(team, queueId, 20)
    for (let n = 0; n < 5; n++) {
      await team.call(`POST /v2/agents/${plain}/schedules`, { body: { frequency: 'daily', time: '09:00' } })
    }
    await sql`update schedules set next_run_at = now() - interval '1 second' where team_id = ${team.id}`
    await limit(team, 'monthly_runs', 17)
    await settle(team)
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => start(through(n % 2 === 0 ? one : two, team), plain)),
      ...Array.from({ length: 10 }, () => team.call(`POST /v2/runs/${begun}/retry`, { body: {} })),
      dispatchQueue(two.context, queueId),
      tick(),
      drainRuns(one),
    ])
    await drainRuns(two)
    const refused = answers.slice(0, 30).filter((answer) => (answer as Answer).status !== 201)
    assert.ok(refused.length >= 30 - 17)
    assert.ok(refused.every((answer) => (answer as Answer).body.error === 'entitlement_exceeded'))
    assert.deepEqual([await runsOf(team), await counted(team)], [17, 17])
    const [cases] = await sql<{ held: number; runs: number }>`
    select (select count(*) from cases where queue_id = ${queueId} and attempts > 0) as held,
      (select count(*) from runs where case_queue_id = ${queueId}) as runs`
    assert.equal(cases!.held, cases!.runs)
  },
)

proves(
  'entitlements.cost',
  'past its monthly cost a team starts nothing more, and what is under way continues',
  async () => {
    const team = await seedTeam(one)
    const agentId = await seedAgent(team, `${fenced('approve', 'Go on?')}\n${procedure}`)
    await limit(team, 'monthly_cost_usd', '0.5')
    const under = await startRun(team, agentId)
    await drainRuns(one)
    await sql`select note_model_use(${team.id}, ${agentId}, 'openai:x', 10, 10, 0.4999, 'run')`
    await startRun(team, agentId)
    await sql`select note_model_use(${team.id}, ${agentId}, 'openai:x', 10, 10, 0.0001, 'run')`
    const refused = await start(through(two, team), agentId)
    assert.deepEqual([refused.status, refused.body.error], [403, 'entitlement_exceeded'])
    assert.match(refused.body.message, /may spend 0\.5 dollars a month.*monthly_cost_usd.*0\.5 are spent/)
    assert.equal((await entitlementOf(team, 'monthly_cost_usd')).used, 0.5)
    const { body } = await team.call(`GET /v2/runs/${under}`)
    await team.call(`POST /v2/runs/${under}/human-requests/${body.pending_human_request.id}/respond`, {
      body: { approved: true },
    })
    await drainRuns(one)
    assert.equal((await readRun(team, under)).status, 'completed')
  },
)

proves('entitlements.agents', 'of twenty agents made at the same time, as many are as the team may have', async () => {
  const team = await seedTeam(one)
  await limit(team, 'agents', 3)
  const make = (index: number) => {
    const body = { name: `Agent ${index}` }
    return through(index % 2 === 0 ? one : two, team).call('POST /v2/teams/:teamId/agents', { body })
  }
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => make(index)))
  assert.deepEqual(statusesOf(answers), { '201': 3, '403 entitlement_exceeded': 17 })
  const made = answers.find(({ status }) => status === 201)
  await team.call(`DELETE /v2/agents/${made!.body.agent_id}`)
  assert.equal((await make(21)).status, 201)
  assert.match((await make(22)).body.message, /may have 3 agents.*Delete one/)
})

proves(
  'entitlements.storage',
  'uploads at the same time, to sandboxes of their own, keep to the bytes that the team may store',
  async () => {
    const team = await seedTeam(one)
    await limit(team, 'storage_bytes', 450)
    const upload = async (index: number) => {
      const own = through(index % 2 === 0 ? one : two, team)
      const { body } = await own.call('POST /v2/sandboxes')
      return own.call(`POST /v2/sandboxes/${body.sandbox_id}/files?path=a.bin`, { body: Buffer.alloc(100, index) })
    }
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => upload(index)))
    assert.deepEqual(statusesOf(answers), { '201': 4, '403 entitlement_exceeded': 6 })
    assert.equal((await entitlementOf(team, 'storage_bytes')).used, 400)
  },
)

proves(
  'entitlements.storage',
  'upload addresses and the files that runs write keep to it too, and what is deleted makes room',
  async () => {
    const team = await seedTeam(one)
    await limit(team, 'storage_bytes', 100)
    const sandbox = await team.call('POST /v2/sandboxes')
    const files = `/v2/sandboxes/${sandbox.body.sandbox_id}`
    await one.listen()
    const put = async (bytes: number) => {
      const { body } = await team.call(`POST ${files}/upload-urls`, { body: { path: `${bytes}.bin` } })
      const response = await fetch(body.upload_url, { method: 'PUT', body: new Uint8Array(bytes) })
      return [response.status, ((await response.json()) as { error?: string }).error]
    }
    assert.deepEqual(await put(101), [403, 'entitlement_exceeded'])
    assert.deepEqual(await put(60), [201, undefined])
    const agentId = await seedAgent(team, fenced('file path=a.txt', 'x'.repeat(41)))
    const runId = await startRun(team, agentId)
    await drainRuns(one)
    assert.match((await readRun(team, runId)).error.message, /may keep 100 bytes.*storage_bytes.*keeps 60/)
    assert.equal((await team.call(`DELETE ${files}`)).status, 200)
    const again = await startRun(team, agentId)
    await drainRuns(one)
    assert.equal((await readRun(team, again)).status, 'completed')
  },
)

proves(
  'entitlements.places',
  'past max_concurrent_runs a run waits for a slot, and its explanation names that limit',
  async () => {
    const team = await seedTeam(one)
    const agentId = await seedAgent(team, procedure)
    await setEntitlement(sql, team.id, 'max_concurrent_runs', '1')
    await startRun(team, agentId)
    const second = await startRun(team, agentId)
    const { body } = await team.call(`GET /v2/runs/${second}/why`)
    assert.match(body.why, /all 1 slots of the team are held \(max_concurrent_runs\)/)
    assert.equal((await entitlementOf(team, 'max_concurrent_runs')).used, 1)
    await unsetEntitlement(sql, team.id, 'max_concurrent_runs')
    assert.equal((await entitlementOf(team, 'max_concurrent_runs')).limit, 50)
    // the first run's place may be counted by another statement while a drain looks
    while ((await readRun(team, second)).status === 'pending') await drainRuns(one)
    assert.equal((await readRun(team, second)).status, 'completed')
  },
)

proves('entitlements.free', 'without a limit no start reads or writes anything for it', async (t) => {
  const team = await seedTeam(one)
  const agentId = await seedAgent(team, procedure)
  await untilAllHeard(one)
  await startRun(team, agentId)
  const query = mock.method(Client.prototype, 'query')
  t.after(() => query.mock.restore())
  const begunAt = performance.now()
  await Promise.all(Array.from({ length: 60 }, () => startRun(team, agentId)))
  const texts = query.mock.calls.map(({ arguments: [asked] }) => {
    return typeof asked === 'string' ? asked : (asked as { text: string }).text
  })
  const elapsedMs = performance.now() - begunAt
  const inserted = texts.filter((text) => text.includes('insert into runs'))
  assert.ok(inserted.length > 0 && inserted.length < 60, 'starts share their commits')
  assert.deepEqual(
    texts.filter((text) => /monthly_runs|usage_days|^begin/.test(text)),
    [],
  )
  // the process itself asks now and then which teams have limits
  assert.ok(texts.filter((text) => text.includes('from entitlements')).length <= 1 + elapsedMs / 2000)
})

/** Every way to store bytes other than a file. */
async function waysToStore(team: TestTeam): Promise<(() => Promise<Answer>)[]> {
  const queueId = await seedQueue(team)
  const agentId = await seedAgent(team, procedure)
  const [caseId] = await seedCases(team, queueId, 1)
  const large = 'x'.repeat(2000)
  return [
    () => team.call(`POST /v2/queues/${queueId}/cases`, { body: { case: { title: 'Large', data: large } } }),
    () => team.call(`PATCH /v2/cases/${caseId}`, { body: { data: large } }),
    () => team.call(`PUT /v2/agents/${agentId}/memory/files/notes.md`, { body: { content: large } }),
    () => team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId, message: large.repeat(33) } }),
  ]
}

proves(
  'entitlements.storageOfAll',
  'cases, memory and large messages count as files do and are refused past the limit, and what is deleted makes room',
  async () => {
    const team = await seedTeam(one)
    const ways = await waysToStore(team)
    const { used } = await entitlementOf(team, 'storage_bytes')
    await limit(team, 'storage_bytes', used + 1500)
    for (const way of ways) {
      const refused = await way()
      assert.deepEqual([refused.status, refused.body.error], [403, 'entitlement_exceeded'])
      assert.match(refused.body.message, /storage_bytes.*\d{4} more do not fit/)
    }
    assert.equal((await entitlementOf(team, 'storage_bytes')).used, used)
    await limit(team, 'storage_bytes', used + 80_000)
    for (const way of ways) assert.ok((await way()).status < 300)
    const now = (await entitlementOf(team, 'storage_bytes')).used
    assert.ok(now > used + 71_000 && now < used + 73_000, `${now} used after ${used}`)
    const listed = await team.call('GET /v2/teams/:teamId/queues')
    await team.call(`DELETE /v2/queues/${listed.body.queues[0].id}/cases`)
    assert.equal((await entitlementOf(team, 'storage_bytes')).used, 68_000)
  },
)

proves(
  'entitlements.storageDefault',
  'a team without a limit of its own keeps to the server’s default, unless that is 0',
  async () => {
    const small = await testApp({ address, config: { teamStorageBytes: 1000 } })
    const none = await testApp({ address, config: { teamStorageBytes: 0 } })
    const team = await seedTeam(small)
    const ways = await waysToStore(team)
    assert.deepEqual((await entitlementOf(team, 'storage_bytes')).limit, 1000)
    for (const way of ways) assert.deepEqual([(await way()).status], [403])
    const upload = await team.call('POST /v2/sandboxes')
    const file = `/v2/sandboxes/${upload.body.sandbox_id}/files?path=a.bin`
    assert.equal((await team.call(`POST ${file}`, { body: Buffer.alloc(1000) })).status, 403)
    const free = through(none, team)
    assert.equal((await free.call(`POST ${file}`, { body: Buffer.alloc(1000) })).status, 201)
    assert.equal((await entitlementOf(free, 'storage_bytes')).limit, null)
  },
)
