// Usage: what is counted, when and once, whatever becomes of the run; the same before and after it is folded into days.
import assert from 'node:assert/strict'
import { after, suite } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import type { FakeAnswer } from '../../../test/fakes/fakeProvider.ts'
import { generate, newDraft } from '../../../test/kit/builder.ts'
import { drainDeliveries, subscribe } from '../../../test/kit/deliveries.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { claimRuns, reviveRuns } from '../../engine/admission/claim.ts'
import { engineOf } from '../../engine/engine.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { foldUsage } from '../../engine/counting/usage.ts'
import { proves } from '../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const model = 'anthropic:claude-sonnet-4-5'
const service = await testApp({
  config: {
    allowPrivateHosts: ['127.0.0.1'],
    anthropicKey: 'sk-ant-canary-1234567890',
    anthropicUrl: provider.url,
    model,
    webhookScheduleS: [0],
  },
})
const { db } = service.context
const { sql } = db
const small = '```output\ndone\n```\n'

const seedFreeAgent = (team: TestTeam) => seedAgent(team, small, { models: { agent: { model: 'builtin:runbook' } } })
const seedModelAgent = (team: TestTeam, data: Record<string, unknown> = {}) =>
  seedAgent(team, 'Do it.', { models: { agent: { model } }, plugins: ['memory'], ...data })

async function read(team: TestTeam, path = 'usage') {
  const { status, body, text } = await team.call(`GET /v2/teams/:teamId/billing/${path}`)
  assert.equal(status, 200, text)
  assert.equal(body.team_id, team.id)
  return body.usage
}

/** What is told must not depend on how far it is folded. */
async function readFolded(team: TestTeam, path?: string) {
  const before = await read(team, path)
  await foldRunCounts(db)
  assert.deepEqual(await read(team, path), before)
  await foldUsage(db)
  assert.deepEqual(await read(team, path), before)
  return before
}

const dayBefore = async (days: number): Promise<string> =>
  (await sql<{ day: string }>`select to_char((now() at time zone 'utc')::date - ${days}::int, 'YYYY-MM-DD') as day`)[0]!
    .day

/** A row of listModelUsage. */
const used = (agent_id: string, tokens: number, cost_usd: number) => {
  return {
    model,
    agent_id,
    agent_name: 'Tested',
    is_artifact: false,
    calls: 1,
    input_tokens: tokens,
    output_tokens: 0,
    tokens,
    cost_usd,
  }
}

suite('the usage of a month', () => {
  proves(
    'usage.month',
    'tells runs, active time, tokens and cost, by day, agent, model and purpose, before and after it is folded',
    async () => {
      const team = await seedTeam(service)
      provider.answer(
        {
          calls: [{ name: 'memory_write', arguments: { path: 'a.md', content: 'A' } }],
          usage: { input: 100, output: 20 },
        },
        { text: 'done', usage: { input: 200, output: 10 } },
        { status: 400, error: { message: 'too odd', type: 'invalid_request_error' } },
      )
      const dear = await seedModelAgent(team)
      const free = await seedFreeAgent(team)
      for (const agentId of [dear, dear, free]) {
        await startRun(team, agentId)
        await drainRuns(service)
      }
      const usage = await readFolded(team)
      const [rows] = await sql<{ seconds: number; dear: number; day: string; start: Date; end: Date }>`
      select (sum(active_ms) / 1000)::float8 as seconds, (sum(active_ms) filter (where agent_id = ${dear}) / 1000)::float8 as dear,
        to_char(now() at time zone 'utc', 'YYYY-MM-DD') as day, date_trunc('month', now()) as start,
        date_trunc('month', now()) + interval '1 month' as "end"
      from runs where team_id = ${team.id}`
      const { seconds, day } = rows!
      const spent = { tokens: 330, cost_usd: 0.00135 }
      const shown = { agent_name: 'Tested', is_artifact: false, runs: 2, active_seconds: rows!.dear, ...spent }
      const freeSeconds = usage.by_agent[1].active_seconds
      assert.deepEqual(usage, {
        period_start: rows!.start.toISOString(),
        period_end: rows!.end.toISOString(),
        runs: { total: 3, completed: 2, failed: 1, stopped: 0 },
        active_seconds: seconds,
        input_tokens: 300,
        output_tokens: 30,
        model_cost_usd: 0.00135,
        sandbox_bytes: 0,
        webhook_deliveries: 0,
        by_day: [{ day, runs: 3, active_seconds: seconds, ...spent }],
        by_agent: [
          { agent_id: dear, ...shown },
          { agent_id: free, ...shown, runs: 1, active_seconds: freeSeconds, tokens: 0, cost_usd: 0 },
        ],
        by_model: [{ model, calls: 2, input_tokens: 300, output_tokens: 30, ...spent }],
        by_purpose: [{ purpose: 'run', calls: 2, ...spent }],
        unsettled: { calls: 0, cost_usd_max: 0 },
      })
      assert.ok(seconds > 0 && Math.abs(rows!.dear + freeSeconds - seconds) < 1e-9)
    },
  )

  proves(
    'usage.models',
    'lists which agents used which model on the days asked for, the most expensive first',
    async () => {
      const team = await seedTeam(service)
      provider.answer(
        { text: 'cheap', usage: { input: 100, output: 0 } },
        { text: 'dear', usage: { input: 1000, output: 0 } },
      )
      const [cheap, dear] = [await seedModelAgent(team), await seedModelAgent(team)]
      for (const agentId of [cheap, dear]) {
        await startRun(team, agentId)
        await drainRuns(service)
      }
      const models = async (query = '') => (await team.call(`GET /v2/teams/:teamId/billing/usage/models${query}`)).body
      const expected = [used(dear, 1000, 0.003), used(cheap, 100, 0.0003)]
      const found = await models()
      assert.deepEqual([found.model_usage, found.left_out], [expected, 0])
      await foldUsage(db)
      assert.deepEqual(await models(), found)
      const before = `?since=${await dayBefore(3)}&until=${await dayBefore(1)}`
      assert.deepEqual((await models(before)).model_usage, [])
    },
  )

  proves('usage.once', 'counts a run once, by how it ended last, and keeps it when it is erased', async () => {
    const team = await seedTeam(service)
    provider.answer({ status: 400, error: { message: 'no' } }, { text: 'yes', usage: { input: 10, output: 1 } })
    const runId = await startRun(team, await seedModelAgent(team))
    await drainRuns(service)
    assert.deepEqual((await readFolded(team)).runs, { total: 1, completed: 0, failed: 1, stopped: 0 })
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'again' } })
    assert.deepEqual((await readFolded(team)).runs, { total: 1, completed: 0, failed: 0, stopped: 0 })
    await drainRuns(service)
    const ended = await readFolded(team)
    assert.deepEqual(ended.runs, { total: 1, completed: 1, failed: 0, stopped: 0 })
    const retried = await team.call(`POST /v2/runs/${runId}/retry`)
    await team.call(`POST /v2/runs/${retried.body.run_id}/stop`)
    assert.deepEqual((await read(team)).runs, { total: 2, completed: 1, failed: 0, stopped: 1 })
    assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
    await service.drain()
    const erased = await readFolded(team)
    assert.deepEqual(erased.runs, { total: 2, completed: 1, failed: 0, stopped: 1 })
    assert.deepEqual([erased.input_tokens, erased.output_tokens, erased.active_seconds], [10, 1, ended.active_seconds])
  })

  proves(
    'usage.months',
    'counts a run in the month of its creation, and what it uses later when it uses it',
    async () => {
      const team = await seedTeam(service)
      const agentId = await seedModelAgent(team)
      provider.answer({ text: 'late', usage: { input: 1000, output: 0 } })
      const runId = await startRun(team, agentId)
      const [earlier] = await sql<{ at: Date; day: string; month: string }>`
      with earlier as (select date_trunc('month', now() at time zone 'utc') - interval '3 days' as at)
      select at at time zone 'utc' as at, to_char(at, 'YYYY-MM-DD') as day, to_char(now(), 'YYYY-MM-01') as month from earlier`
      const { at, day, month } = earlier!
      await sql`update run_count_deltas set hour = run_hour(${at}) where team_id = ${team.id}`
      await sql`update runs set created_at = ${at} where id = ${runId}`
      await drainRuns(service)
      const now = await readFolded(team)
      assert.deepEqual([now.runs.total, now.input_tokens, now.model_cost_usd], [0, 1000, 0.003])
      assert.ok(now.active_seconds > 0)
      const then = await readFolded(team, `usage/history?since=${day}&until=${month}`)
      assert.deepEqual(then.runs, { total: 1, completed: 1, failed: 0, stopped: 0 })
      assert.deepEqual([then.input_tokens, then.active_seconds, then.by_model], [0, 0, []])
      const both = await read(team, `usage/history?since=${day}`)
      assert.deepEqual([both.runs.total, both.input_tokens], [1, 1000])
      assert.deepEqual(
        both.by_day.map((one: { day: string }) => one.day),
        [day, await dayBefore(0)],
      )
    },
  )
})

suite('calls of a model', () => {
  proves('usage.unsettled', 'whose answer nobody has are counted apart, with the most that they can cost', async () => {
    const team = await seedTeam(service)
    const agentId = await seedModelAgent(team)
    // its worker dies while the model answers
    const takenOver = await startRun(team, agentId)
    const worker = newId()
    await claimRuns(sql, worker, 100)
    await sql`
      insert into run_steps (run_id, seq, turn, kind, tool, state, reserved_usd, started_at)
      values (${takenOver}, 1, 1, 'model', ${model}, 'intent', 0.5, now())`
    await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
    provider.answer({ text: 'second try', usage: { input: 10, output: 1 } })
    await drainRuns(service)
    const afterDeath = await readFolded(team)
    assert.deepEqual(afterDeath.unsettled, { calls: 1, cost_usd_max: 0.5 })
    assert.deepEqual([afterDeath.input_tokens, afterDeath.by_model[0].calls], [10, 1])

    // it is stopped while the model answers
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    provider.answer({ text: ['half', ' done'], hold, usage: { input: 99, output: 99 } })
    const stopped = await startRun(team, agentId)
    const stop = async () => {
      await team.call(`POST /v2/runs/${stopped}/stop`)
      release()
    }
    const hearNoMore = engineOf(service.context).onText(() => void stop())
    await drainRuns(service)
    hearNoMore()
    assert.equal((await readRun(team, stopped)).status, 'stopped')
    const afterStop = await readFolded(team)
    assert.equal(afterStop.unsettled.calls, 2)
    assert.ok(afterStop.unsettled.cost_usd_max > 0.5)

    // an answer that is of no use is paid for all the same
    provider.answer({ usage: { input: 30, output: 3 } }, { text: 'full', usage: { input: 2, output: 2 } })
    const empty = await startRun(team, agentId)
    await drainRuns(service)
    const { usage: ofRun, output } = await readRun(team, empty)
    assert.deepEqual([output, ofRun.steps, ofRun.input_tokens, ofRun.output_tokens], ['full', 1, 32, 5])
    const afterEmpty = await readFolded(team)
    assert.deepEqual([afterEmpty.unsettled.calls, afterEmpty.by_model[0].calls], [2, 3])

    // the stream breaks; a provider that says no has made nothing
    provider.answer(
      { text: ['half', ' done'], instead: 'break' },
      { status: 429, headers: { 'retry-after-ms': '1' }, error: { message: 'slow down' } },
      { text: 'whole', usage: { input: 5, output: 5 } },
    )
    const tried = await startRun(team, agentId)
    await drainRuns(service)
    assert.equal((await readRun(team, tried)).output, 'whole')
    const afterAll = await readFolded(team)
    assert.equal(afterAll.unsettled.calls, 3)
    assert.deepEqual([afterAll.input_tokens, afterAll.output_tokens], [47, 11])
  })

  proves('usage.unsettled', 'that are cut off by the run’s own limit of time are counted apart too', async () => {
    const team = await seedTeam(service)
    provider.answer({ text: ['half', ' done'], instead: 'silence' })
    const runId = await startRun(team, await seedModelAgent(team, { limits: { max_duration_s: 1 } }))
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).error.code, 'limit_reached')
    assert.equal((await readFolded(team)).unsettled.calls, 1)
    assert.deepEqual(await sql`select state, unsettled from run_steps where run_id = ${runId}`, [
      { state: 'cut_off', unsettled: 1 },
    ])
  })

  proves(
    'usage.purposes',
    'by builders and judges are counted by their purpose, a builder’s also when it is refused',
    async () => {
      const team = await seedTeam(service)
      const { agentId, buildId } = await newDraft(team, '# Mails\n\nAnswer every mail.\n')
      const procedure = '# Mails\n\n## Steps\n\n1. Answer it.\n'
      provider.answer(
        { text: 'I cannot', finish: 'refusal', usage: { input: 100, output: 10 } },
        { text: JSON.stringify({ procedure, questions: [] }), usage: { input: 1000, output: 100 } },
      )
      for (const prompt of ['one', 'two']) {
        await generate(team, buildId, { prompt })
        await service.drain()
      }
      await sql`select note_model_use(${team.id}, ${agentId}, ${model}, 7, 3, 0.5, 'judge')`
      await sql`select note_model_use(${team.id}, ${agentId}, ${model}, 0, 0, 0.25, 'judge', true)`
      const usage = await readFolded(team)
      assert.deepEqual(usage.by_purpose, [
        { purpose: 'judge', calls: 1, tokens: 10, cost_usd: 0.5 },
        { purpose: 'builder', calls: 2, tokens: 1210, cost_usd: 0.00495 },
      ])
      assert.deepEqual(usage.unsettled, { calls: 1, cost_usd_max: 0.25 })
      assert.deepEqual([usage.by_agent[0].agent_id, usage.by_agent[0].runs], [agentId, 0])
    },
  )

  proves('usage.purposes', 'of a builder count also when its request was too long', async () => {
    const team = await seedTeam(service)
    const { buildId } = await newDraft(team, '# Mails\n\nAnswer every mail.\n')
    provider.answer({ text: 'So', finish: 'window', usage: { input: 1000, output: 10 } })
    await generate(team, buildId, { prompt: 'x' })
    await service.drain()
    assert.deepEqual((await readFolded(team)).by_purpose, [
      { purpose: 'builder', calls: 1, tokens: 1010, cost_usd: 0.00315 },
    ])
  })

  proves('usage.purposes', 'of a builder count also when it is discarded before they end', async () => {
    const team = await seedTeam(service)
    const { buildId } = await newDraft(team, '# Mails\n\nAnswer every mail.\n')
    const text = JSON.stringify({ procedure: '# Mails\n\n## Steps\n\n1. Answer it.\n', questions: [] })
    // just before the first answer is whole, in the middle of the second, and before an empty one
    const endings: FakeAnswer[] = [
      { text: [text.slice(0, 9), text.slice(9)], usage: { input: 1000, output: 100 } },
      { text: [text.slice(0, 9), text.slice(9)], instead: 'silence' },
      { text: ['', ''], usage: { input: 2000, output: 200 } },
    ]
    for (const ending of endings) {
      const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
      const { promise: hold, resolve: release } = Promise.withResolvers<void>()
      provider.answer(() => {
        asked()
        return { ...ending, hold }
      })
      await generate(team, buildId, { prompt: 'x' })
      const drained = service.drain()
      await isAsked
      assert.equal((await team.call(`POST /v2/revisions/${buildId}/discard`)).status, 200)
      release()
      await drained
    }
    const usage = await readFolded(team)
    assert.deepEqual(usage.by_purpose, [{ purpose: 'builder', calls: 2, tokens: 3300, cost_usd: 0.0135 }])
    assert.equal(usage.unsettled.calls, 1)
  })

  proves('usage.purposes', 'of a builder that died are counted apart', async () => {
    const team = await seedTeam(service)
    const { buildId } = await newDraft(team, '# Mails\n\nAnswer every mail.\n')
    const id = await generate(team, buildId, { prompt: 'x' })
    const claim = () =>
      sql`update builder_runs set status = 'running', attempt = attempt + 1, due_at = null where id = ${id}`
    await claim()
    assert.equal((await read(team)).unsettled.calls, 0)
    await claim()
    assert.equal((await read(team)).unsettled.calls, 1)
    await sql`update builder_runs set due_at = now() - interval '1 second' where id = ${id}`
    await claim()
    assert.equal((await readFolded(team)).unsettled.calls, 1)
  })
})

proves('usage.deliveries', 'deliveries count when their receiver takes them', async () => {
  const team = await seedTeam(service)
  const [takes, refuses] = [await startReceiver(), await startReceiver()]
  refuses.answer(500)
  await subscribe(team, takes.url, ['run.completed', 'run.started'])
  await subscribe(team, refuses.url, ['run.completed'])
  await startRun(team, await seedFreeAgent(team))
  await drainRuns(service)
  await drainDeliveries(service)
  assert.equal(takes.received.length, 2)
  assert.ok(refuses.received.length > 0)
  assert.equal((await readFolded(team)).webhook_deliveries, 2)
})

proves('usage.storage', 'storage is what sandboxes hold, now and at the end of any earlier day', async () => {
  const team = await seedTeam(service)
  const { body } = await team.call('POST /v2/sandboxes')
  const put = (content: string) =>
    team.call(`POST /v2/sandboxes/${body.sandbox_id}/files?path=a.txt`, {
      body: content,
      headers: { 'content-type': 'text/plain' },
    })
  await put('12345')
  await put('1234567')
  assert.equal((await readFolded(team)).sandbox_bytes, 12)
  await sql`update usage_days set day = day - 1 where team_id = ${team.id}`
  assert.equal((await team.call(`DELETE /v2/sandboxes/${body.sandbox_id}`)).status, 200)
  await service.drain()
  assert.equal((await sql`select from sandboxes where team_id = ${team.id}`).length, 0)
  assert.equal((await readFolded(team)).sandbox_bytes, 0)
  const until = await dayBefore(0)
  const then = await read(team, `usage/history?since=${await dayBefore(2)}&until=${until}`)
  assert.equal(then.sandbox_bytes, 12)
})

proves('usage.together', 'writers, folders and readers at once leave nothing out and count nothing twice', async () => {
  const team = await seedTeam(service)
  const agentId = await seedFreeAgent(team)
  const [build] = await sql<{ id: string }>`select id from builds where agent_id = ${agentId}`
  const pair = () =>
    db.transaction(async (tx) => {
      const id = newId()
      await tx`
        insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status)
        values (${id}, ${team.id}, ${agentId}, ${build!.id}, nextval('run_numbers'), 'api', 'x', 'running')`
      await tx`update runs set status = 'completed', active_ms = 7 where id = ${id}`
      await tx`select note_model_use(${team.id}, ${agentId}, ${model}, 10, 0, 0.0000001, 'run')`
    })
  const writing = new AbortController()
  const until = async (work: () => Promise<unknown>) => {
    while (!writing.signal.aborted) await work()
  }
  const look = async () => {
    const usage = await read(team)
    assert.equal(usage.runs.total * 10, usage.input_tokens)
    assert.equal(usage.runs.total, usage.runs.completed)
    assert.equal(Math.round(usage.active_seconds * 1000), usage.runs.total * 7)
  }
  const others = [until(() => foldUsage(db)), until(() => foldRunCounts(db)), until(() => foldUsage(db)), until(look)]
  const write = async () => {
    for (let i = 0; i < 40; i++) await pair()
  }
  await Promise.all([write(), write(), write()]).finally(() => writing.abort())
  await Promise.all(others)
  const usage = await readFolded(team)
  assert.deepEqual([usage.runs.completed, usage.input_tokens, usage.model_cost_usd], [120, 1200, 0.000012])
})

suite('the usage of a span', () => {
  proves('usage.history', 'covers whole days, which it says', async () => {
    const team = await seedTeam(service)
    const usage = await read(team, 'usage/history?since=2026-02-03T23:59:00Z&until=2026-02-05T00:00:01Z')
    assert.deepEqual([usage.period_start, usage.period_end], ['2026-02-03T00:00:00.000Z', '2026-02-06T00:00:00.000Z'])
    assert.deepEqual([usage.runs.total, usage.by_day], [0, []])
    const month = await read(team)
    const unasked = await read(team, 'usage/history')
    assert.deepEqual(unasked, month)
    const until = await read(team, 'usage/history?until=2026-02-01')
    assert.deepEqual([until.period_start, until.period_end], ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'])
    const since = await read(team, 'usage/history?since=2001-01-01')
    assert.deepEqual([since.period_start, since.period_end], ['2001-01-01T00:00:00.000Z', '2002-02-05T00:00:00.000Z'])
  })

  proves('usage.history', 'is refused when it is empty or longer than 400 days', async () => {
    const team = await seedTeam(service)
    for (const [query, says] of [
      ['since=2026-02-03&until=2026-02-03', /until must be later than since/],
      ['since=2025-01-01&until=2026-02-06', /401 days apart/],
      ['since=9999-12-31', /until must be later/],
      ['since=9999-12-31&until=9999-12-31T23:00:00Z', /until must be later/],
      ['since=yesterday', /since/],
    ] as const) {
      const answer = await team.call(`GET /v2/teams/:teamId/billing/usage/history?${query}`)
      assert.equal(answer.status, 400, query)
      assert.match(answer.body.message, says)
    }
    const longest = await team.call('GET /v2/teams/:teamId/billing/usage/history?since=2025-01-01&until=2026-02-05')
    assert.equal(longest.status, 200)
  })
})
