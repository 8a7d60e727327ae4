// The steps of a run: light rows that a page draws, and one step whole, with every moment that the ledger kept of it.
import assert from 'node:assert/strict'
import { after, describe } from 'node:test'
import { startFakeAnthropic } from '../../../../test/fakes/anthropic.ts'
import { plansOn } from '../../../../test/kit/plans.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { startReceiver } from '../../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { insertRun } from '../../../../test/kit/seedRuns.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { newId } from '../../../base/ids.ts'
import { eraseRunLogs } from '../../../engine/ending/eraseRunLogs.job.ts'
import { claimRuns, giveBack, reviveRuns } from '../../../engine/admission/claim.ts'
import type { Run } from '../run.ts'
import { readStepsOf } from './step.ts'
import { retryOf } from './stepRetry.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: 'sk-ant-canary-1234567890', anthropicUrl: provider.url },
})
const { sql } = service.context.db
const model = 'anthropic:claude-sonnet-4-5'
const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`

const seedModelAgent = (team: TestTeam, data: Record<string, unknown> = {}) =>
  seedAgent(team, 'Do it.', { models: { agent: { model } }, plugins: ['memory', 'http', 'human', 'schedule'], ...data })

async function respond(team: TestTeam, runId: string, body: Record<string, unknown>): Promise<string> {
  const { pending_human_request } = (await team.call(`GET /v2/runs/${runId}`)).body
  const answer = await team.call(`POST /v2/runs/${runId}/human-requests/${pending_human_request.id}/respond`, { body })
  assert.equal(answer.status, 200, answer.text)
  await drainRuns(service)
  return pending_human_request.id
}

async function listSteps(team: TestTeam, runId: string, query = '') {
  const { status, body, text } = await team.call(`GET /v2/runs/${runId}/steps${query}`)
  assert.equal(status, 200, text)
  return body
}

async function readStep(team: TestTeam, runId: string, seq: number) {
  const { status, body, text } = await team.call(`GET /v2/runs/${runId}/steps/${seq}`)
  assert.equal(status, 200, text)
  assert.deepEqual([body.run_id, body.seq, body.step.seq], [runId, seq, seq])
  return body.step
}

interface Told {
  kind: string
  at: string
  says: string
  attempt?: number
  worker?: { id: string; host: string | null; pid: number | null }
}

const kindsOf = ({ moments }: { moments: Told[] }): string[] => moments.map(({ kind }) => kind)

/** Moments are in the order of time, as far as one clock wrote them. */
function inOrder({ moments }: { moments: Told[] }): void {
  for (const [index, { at }] of moments.entries()) {
    const before = moments[index - 1]
    if (before) assert.ok(Date.parse(before.at) <= Date.parse(at) + 50, `${before.kind} before ${moments[index]!.kind}`)
  }
}

const numbers = (rows: { seq: number }[]) => [rows[0]?.seq, rows.at(-1)?.seq, rows.length]

describe('the list of steps', () => {
  proves('steps.list', 'has a light row for each turn, call, question, wait and sub-run', async () => {
    const team = await seedTeam(service)
    const receiver = await startReceiver()
    const helper = await seedAgent(team, block('output', 'checked'))
    await team.call(`PATCH /v2/agents/${helper}`, { body: { name: 'Photo check' } })
    const url = `${receiver.url}/orders/88214?api_key=hidden#part`
    provider.answer(
      {
        text: 'I read\n the  case.',
        calls: [{ name: 'http_request', arguments: { url, headers: { 'x-key': 'hidden' } } }],
        usage: { input: 100, output: 20 },
      },
      {
        calls: [
          { name: 'memory_write', arguments: { path: 'notes/a.md', content: 'hidden' } },
          { name: 'agents_run', arguments: { agent: 'Photo check' } },
        ],
      },
      { calls: [{ name: 'human_ask', arguments: { title: 'Was the label made?' } }] },
      { calls: [{ name: 'no_such_tool', arguments: {} }] },
      { text: 'Done.' },
    )
    const agentId = await seedModelAgent(team, { subAgents: [helper], plugins: ['memory', 'http', 'human', 'agents'] })
    const runId = await startRun(team, agentId, { message: 'go' })
    await drainRuns(service)
    const open = await listSteps(team, runId)
    assert.deepEqual([open.total, open.axis.status], [7, 'waiting'])
    const waits = open.steps.at(-1)
    assert.deepEqual(
      [waits.status, waits.waits_for, waits.completed_at, waits.detail],
      ['waiting', 'human', null, null],
    )
    assert.ok(waits.waited_ms >= 0)
    const requestId = await respond(team, runId, { answers: { 'Was the label made?': 'make it now' } })
    assert.equal((await readRun(team, runId)).status, 'completed')

    const { steps, total, limit, offset, axis } = await listSteps(team, runId)
    assert.deepEqual([total, limit, offset], [10, 200, 0])
    type Row = { kind: string; name: string; title: string; detail: string; status: string; turn: number }
    assert.deepEqual(
      steps.map(({ kind, name, title, detail, status, turn }: Row) => [kind, name, title, detail, status, turn]),
      [
        ['model', model, 'Turn 1', 'I read the case.', 'done', 1],
        ['tool', 'http_request', 'http_request', 'GET /orders/88214', 'done', 1],
        ['model', model, 'Turn 2', 'calls memory_write, agents_run', 'done', 2],
        ['tool', 'memory_write', 'memory_write', 'notes/a.md', 'done', 2],
        ['sub_run', 'agents_run', 'Photo check', steps[4].detail, 'done', 2],
        ['model', model, 'Turn 3', 'calls human_ask', 'done', 3],
        ['human', 'human_ask', 'Was the label made?', 'answered: make it now', 'done', 3],
        ['model', model, 'Turn 4', 'calls no_such_tool', 'done', 4],
        ['tool', 'no_such_tool', 'no_such_tool', null, 'failed', 4],
        ['model', model, 'Turn 5', 'Done.', 'done', 5],
      ],
    )
    assert.ok(!JSON.stringify(steps).includes('hidden'), 'neither arguments nor results, nor the query of an address')
    const [first, http, , , sub, , asked, , refused] = steps
    assert.deepEqual([first.tokens, first.cost_usd], [{ input: 100, output: 20 }, 0.0006])
    assert.deepEqual([http.tokens, http.attempts, http.screenshots, http.error], [null, 1, 0, null])
    assert.match(refused.error, /no tool named/)
    const child = await readRun(team, sub.sub_run_id)
    assert.deepEqual([child.parent_run_id, child.parent_step], [runId, 5])
    assert.equal(sub.detail, `run ${child.run_number}, completed`)
    assert.equal(asked.human_request_id, requestId)
    assert.deepEqual(
      axis.waits.map(({ step, kind, human_request_id }: Record<string, unknown>) => [step, kind, human_request_id]),
      [
        [5, 'sub_run', null],
        [7, 'human', requestId],
      ],
    )
    for (const { from, until } of axis.waits) assert.ok(Date.parse(from) <= Date.parse(until))
    assert.deepEqual(axis.cuts, [])
    assert.ok(Date.parse(axis.now) >= Date.parse(axis.completed_at))
  })

  proves('steps.pages', 'comes in pages by number, each as fast as the first, of a run with 10,000 steps', async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Nothing.')
    const [build] = await sql<{ id: string }>`select id from builds where agent_id = ${agentId}`
    const of = { team_id: team.id, agent_id: agentId, build_id: build!.id, status: 'completed' as const }
    const runId = await insertRun(sql, { ...of, started_at: new Date(), completed_at: new Date() })
    await sql`
      insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, result, started_at, completed_at)
      select ${runId}, n, (n + 1) / 2, case when n % 2 = 1 then 'model' else 'tool' end, case when n % 2 = 1 then 'some:model' else 'sandbox_exec' end,
        case when n % 2 = 0 then jsonb_build_object('command', 'python step' || n || '.py') end, 'done', '{"ok": true}', now(), now()
      from generate_series(1, 10000) n`
    await sql`
      insert into human_requests (id, team_id, run_id, step, type, title, status, responded_at)
      select gen_random_uuid(), ${team.id}, ${runId}, n * 100, 'approval', 'Pay?', 'responded', now() from generate_series(1, 100) n`
    // others, so that reading a table whole would be a mistake
    await sql`
      insert into run_steps (run_id, seq, turn, kind, state, started_at)
      select gen_random_uuid(), s, s, 'tool', 'done', now() from generate_series(1, 6000) n, generate_series(1, 3) s`
    await sql`
      insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, completed_at)
      select gen_random_uuid(), ${team.id}, ${agentId}, ${build!.id}, nextval('run_numbers'), 'api', 'Seeded', '{}', 'completed', now()
      from generate_series(1, 6000)`
    await sql`
      insert into human_requests (id, team_id, run_id, step, type, title)
      select gen_random_uuid(), ${team.id}, gen_random_uuid(), 1, 'approval', 'Pay?' from generate_series(1, 6000)`
    await sql`
      insert into run_cuts (run_id, epoch, reason, worker, steps)
      select gen_random_uuid(), 1, 'died', gen_random_uuid(), '[]' from generate_series(1, 6000)`
    await service.context.db.pool.query('analyze runs, run_steps, human_requests, run_cuts')

    const first = await listSteps(team, runId, '?limit=1000')
    assert.deepEqual([numbers(first.steps), first.total], [[1, 1000, 1000], 10_000])
    const last = await listSteps(team, runId, '?limit=1000&offset=9000')
    assert.deepEqual(
      [numbers(last.steps), last.total, last.steps[1].detail],
      [[9001, 10_000, 1000], 10_000, 'python step9002.py'],
    )
    assert.deepEqual(numbers((await listSteps(team, runId, '?limit=0')).steps), [undefined, undefined, 0])
    assert.deepEqual((await listSteps(team, runId, '?offset=10000')).steps, [])
    for (const query of ['?limit=1001', '?limit=-1', '?offset=x']) {
      assert.equal((await team.call(`GET /v2/runs/${runId}/steps${query}`)).status, 400)
    }
    const plan = await plansOn(service.context.db)
    const run = await readRun(team, runId)
    const plans = [
      ...(await plan(async (on) => {
        // one after the other: a session has one statement at a time
        await readStepsOf(oneByOne(on), run, { after: 5000, limit: 1000 })
      })),
      ...(await plan((on) => retryOf(on, run, { seq: 5000, turn: 2500, kind: 'tool' }))),
    ]
    assert.ok(plans.length >= 6)
    for (const one of plans) assert.doesNotMatch(one, /Seq Scan on (runs|run_steps|human_requests|run_cuts)/)
    assert.match(plans[0]!, /Index Cond: \(\(run_id = .*seq > .*seq <= /)
  })

  proves('steps.pages', 'a page whose arguments are too large opens only those that fit', async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Nothing.')
    const runId = await startRun(team, agentId)
    await sql`
      insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, started_at, completed_at)
      select ${runId}, n, n, 'tool', 'http_request', jsonb_build_object('method', 'POST', 'url', 'https://example.com/' || n, 'body',
        (select string_agg(md5(random()::text || m), '') from generate_series(1, 32000) m)), 'done', now(), now()
      from generate_series(1, 6) n`
    const { steps } = await listSteps(team, runId)
    assert.deepEqual(
      steps.map(({ detail }: { detail: string | null }) => detail !== null),
      [true, true, true, true, false, false],
    )
    assert.equal((await readStep(team, runId, 6)).detail, 'POST /6')
  })
})

/** A `sql` whose statements wait for each other. */
function oneByOne(on: Parameters<typeof readStepsOf>[0]): Parameters<typeof readStepsOf>[0] {
  let before: Promise<unknown> = Promise.resolve()
  return ((strings: TemplateStringsArray, ...values: unknown[]) => {
    const next = before.then(() => (on as (...all: unknown[]) => Promise<unknown>)(strings, ...values))
    before = next
    return next
  }) as never
}

/** A run that a process holds which then dies: its first call is begun, and nobody knows whether it happened. */
async function cutOffCall(method: string) {
  const team = await seedTeam(service)
  const receiver = await startReceiver()
  receiver.answer(201, { 'content-type': 'application/json' }, '{"label": "RL-70413"}')
  const procedure = `${block('http id=pay', `${method} ${receiver.url}/returns\n\nnow`)}\n${block('output', 'done')}`
  const runId = await startRun(team, await seedAgent(team, procedure, { plugins: ['http', 'human'] }))
  const worker = newId()
  await sql`insert into processes (id, role, host, pid) values (${worker}, 'worker', 'box-2', 4711)`
  await claimRuns(sql, worker, 100)
  const given = JSON.stringify({ method, url: `${receiver.url}/returns`, body: 'now' })
  await sql`
    insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, started_at)
    values (${runId}, 1, 1, 'tool', 'http_request', ${given}, 'intent', now())`
  await sql`
    insert into run_messages (run_id, seq, id, turn, type, role, tool_call, "timestamp")
    values (${runId}, 1, ${newId()}, 1, 'tool_call', 'assistant',
      ${JSON.stringify({ id: `${runId}:1`, name: 'http_request', arguments: {} })}, now())`
  await sql`update runs set message_seq = 1, steps = 1 where id = ${runId}`
  return { team, receiver, runId, worker }
}

async function die(worker: string): Promise<void> {
  await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
  await sql`delete from processes where id = ${worker}`
}

describe('one step', () => {
  proves(
    'steps.doubt',
    'tells of a call in doubt who was cut off, what a person decided, and what followed',
    async () => {
      const { team, receiver, runId, worker } = await cutOffCall('POST')
      const begun = await readStep(team, runId, 1)
      assert.deepEqual([begun.status, begun.after_crash, kindsOf(begun)], ['running', 'asks', ['intent']])
      assert.deepEqual(begun.worker, { id: worker, host: 'box-2', pid: 4711 })
      assert.deepEqual([begun.moments[0].key, begun.key], [`${runId}:1`, `${runId}:1`])
      assert.deepEqual(
        [begun.retry.allowed, begun.retry.reason],
        [false, 'The run has not ended. Stop it first, or wait for its end.'],
      )

      await die(worker)
      await drainRuns(service)
      const doubted = await readStep(team, runId, 1)
      assert.deepEqual([doubted.status, doubted.after_crash], ['in_doubt', 'asks'])
      assert.deepEqual(kindsOf(doubted), ['intent', 'cut', 'in_doubt'])
      assert.deepEqual([doubted.waits.length, doubted.waits[0].until, doubted.result], [1, null, null])

      const { questions } = (await team.call(`GET /v2/runs/${runId}`)).body.pending_human_request
      const [{ question, options }] = questions
      const answers = { [question]: options[1].label }
      const requestId = await respond(team, runId, { answers, comment: 'No label in the carrier’s list.' })
      assert.equal(receiver.received.length, 1)
      const done = await readStep(team, runId, 1)
      assert.deepEqual(kindsOf(done), ['intent', 'cut', 'in_doubt', 'answered', 'attempt', 'result'])
      inOrder(done)
      const [, cut, doubt, answered, attempt, result] = done.moments
      assert.deepEqual([cut.worker, cut.attempt, cut.cut_reason], [{ id: worker, host: 'box-2', pid: 4711 }, 1, 'died'])
      assert.match(cut.says, /died during attempt 1; no outcome was stored/)
      assert.deepEqual([doubt.human_request.id, doubt.human_request.type], [requestId, 'question'])
      assert.deepEqual(
        [answered.by, answered.comment],
        [{ id: team.memberId, name: 'Tester' }, 'No label in the carrier’s list.'],
      )
      assert.match(answered.says, /make it now/)
      assert.equal(attempt.attempt, 2)
      assert.notEqual(attempt.worker.id, worker)
      assert.match(result.says, /never be made again/)
      assert.deepEqual([done.status, done.attempts, done.after_crash], ['done', 2, 'never_again'])
      assert.deepEqual([done.arguments.body, done.result.status, done.result.body], ['now', 201, { label: 'RL-70413' }])

      const { axis } = await listSteps(team, runId)
      assert.deepEqual(axis.cuts, [
        {
          at: cut.at,
          reason: 'died',
          worker: { id: worker, host: 'box-2', pid: 4711 },
          steps: [{ seq: 1, attempt: 1 }],
        },
      ])
      assert.deepEqual(axis.waits, done.waits)
    },
  )

  proves('steps.cuts', 'is made again without a question where that is harmless, and shows each cut', async () => {
    const { team, runId, worker } = await cutOffCall('PUT')
    assert.equal((await readStep(team, runId, 1)).after_crash, 'made_again')
    await die(worker)
    const second = newId()
    await giveBack(sql, second, await claimRuns(sql, second, 100))
    await drainRuns(service)
    const step = await readStep(team, runId, 1)
    assert.deepEqual([step.status, step.attempts], ['done', 2])
    assert.deepEqual(kindsOf(step), ['intent', 'cut', 'cut', 'attempt', 'result'])
    assert.deepEqual(
      step.moments.slice(1, 3).map(({ says }: Told) => says),
      [
        'The process died during attempt 1; no outcome was stored.',
        'The process stopped or could not continue before it could make another attempt.',
      ],
    )
    assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
    assert.deepEqual(await sql`select 1 from run_cuts where run_id = ${runId}`, [])
  })

  proves('steps.cuts', 'that nobody was at is not cut off by a process that stops between two steps', async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, block('output', 'done')))
    const worker = newId()
    await giveBack(sql, worker, await claimRuns(sql, worker, 100))
    await drainRuns(service)
    const rows = await sql`select steps from run_cuts where run_id = ${runId}`
    assert.deepEqual(rows, [])
  })

  proves(
    'steps.approval',
    'that a person must allow begins with the question, and its attempt after the answer',
    async () => {
      const team = await seedTeam(service)
      const receiver = await startReceiver()
      provider.answer(
        { calls: [{ name: 'http_request', arguments: { method: 'POST', url: `${receiver.url}/refunds` } }] },
        { text: 'Paid.' },
      )
      const approvals = { http_request: 'always', memory_write: 'always' }
      const runId = await startRun(team, await seedModelAgent(team, { approvals }))
      await drainRuns(service)
      const waiting = await readStep(team, runId, 2)
      assert.deepEqual([kindsOf(waiting), waiting.waits_for, waiting.after_crash], [['asked'], 'human', 'waits'])
      await respond(team, runId, { approved: true })
      const done = await readStep(team, runId, 2)
      assert.deepEqual(kindsOf(done), ['asked', 'answered', 'attempt', 'result'])
      inOrder(done)
      assert.deepEqual([done.attempts, done.moments[2].key], [1, `${runId}:2`])
      assert.equal(done.moments[1].says, 'Approved.')
      const modelStep = await readStep(team, runId, 1)
      assert.deepEqual([kindsOf(modelStep), modelStep.key, modelStep.arguments], [['intent', 'result'], null, null])
    },
  )

  proves(
    'steps.moments',
    'of a model that had trouble keeps each refusal, and of a refused call that nothing was sent',
    async () => {
      const team = await seedTeam(service)
      provider.answer(
        { status: 529, error: { message: 'busy' } },
        {
          calls: [
            { name: 'no_such_tool', arguments: {} },
            { name: 'memory_write', arguments: { path: 'a', content: 'b' } },
          ],
        },
        { text: 'Done.' },
      )
      const runId = await startRun(team, await seedModelAgent(team))
      await drainRuns(service)
      const [asked, refused, inside] = [
        await readStep(team, runId, 1),
        await readStep(team, runId, 2),
        await readStep(team, runId, 3),
      ]
      assert.deepEqual([kindsOf(asked), asked.attempts], [['intent', 'trouble', 'result'], 2])
      assert.match(asked.moments[1].says, /asked again at/)
      assert.deepEqual(kindsOf(refused), ['refused', 'failed'])
      assert.deepEqual(kindsOf(inside), ['result'])
      assert.equal(inside.moments[0].says, 'Effect and result were written together.')
      assert.deepEqual(
        asked.waits.map(({ kind }: { kind: string }) => kind),
        ['time'],
      )
    },
  )

  proves('steps.retry', 'says what a retry from it repeats and cost, and whether it may be', async () => {
    const team = await seedTeam(service)
    const use = { input: 100, output: 20 }
    provider.answer(
      { calls: [{ name: 'memory_write', arguments: { path: 'a', content: 'b' } }], usage: use },
      { calls: [{ name: 'memory_read', arguments: { path: 'a' } }], usage: use },
      { text: 'Done.', usage: use },
    )
    const runId = await startRun(team, await seedModelAgent(team))
    await drainRuns(service)
    const fourth = await readStep(team, runId, 4)
    const repeats = [
      { seq: 3, kind: 'model', tool: null },
      { seq: 4, kind: 'tool', tool: 'memory_read' },
      { seq: 5, kind: 'model', tool: null },
    ]
    assert.deepEqual(fourth.retry, {
      from_step: 4,
      allowed: true,
      reason: null,
      repeats,
      repeats_total: 3,
      cost_usd: 0.0012,
    })
    const third = await readStep(team, runId, 3)
    assert.deepEqual(third.retry, fourth.retry, 'a turn of the model begins from its first call')
    const last = await readStep(team, runId, 5)
    assert.deepEqual([last.retry.from_step, last.retry.allowed], [null, false])
    assert.equal((await readStep(team, runId, 1)).retry.repeats_total, 5)

    provider.answer({ text: 'Other.' })
    const { body } = await team.call(`POST /v2/runs/${runId}/retry`, { body: { from_step: fourth.retry.from_step } })
    await drainRuns(service)
    const { steps } = await listSteps(team, body.run_id)
    assert.deepEqual(
      steps.map(({ seq, is_copied }: { seq: number; is_copied: boolean }) => [seq, is_copied]),
      [
        [1, true],
        [2, true],
        [3, false],
      ],
    )
    const copied = await readStep(team, body.run_id, 2)
    assert.deepEqual([kindsOf(copied), copied.moments[0].from], [['copied'], { run_id: runId, step: 2 }])
    assert.equal(copied.cost_usd, null, 'the run that it comes from paid for it')
  })

  proves('steps.missing', 'that is not there is a 404, whatever its number is', async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, block('memory path=a', 'x')))
    await drainRuns(service)
    assert.equal((await team.call(`GET /v2/runs/${runId}/steps/1`)).status, 200)
    for (const seq of ['0', '2', '01', '1.0', '-1', 'one', '99999999999', '2147483648', '%20', '1e3']) {
      const { status, body } = await team.call(`GET /v2/runs/${runId}/steps/${seq}`)
      assert.deepEqual([status, body.error], [404, 'not_found'], seq)
    }
  })

  proves('steps.erased', 'of an erased log keeps what it was and loses what was said', async () => {
    const team = await seedTeam(service)
    provider.answer(
      { text: 'A secret plan.', calls: [{ name: 'memory_write', arguments: { path: 'a', content: 'b' } }] },
      { text: 'x' },
    )
    const runId = await startRun(team, await seedModelAgent(team))
    await drainRuns(service)
    await service.context.db.transaction(async (tx) => {
      await tx`update runs set log_erased_at = now(), message_seq = 0 where id = ${runId}`
    })
    const input = { run_ids: [runId], is_deleted: false }
    await eraseRunLogs.handler({ input, sql, context: service.context, signal: new AbortController().signal })
    const { steps } = await listSteps(team, runId)
    assert.deepEqual(
      [steps[0].title, steps[0].detail, steps[1].title, steps[1].detail],
      ['Turn 1', 'calls memory_write', 'memory_write', null],
    )
    const step = await readStep(team, runId, 2)
    assert.deepEqual([step.arguments, step.result, step.retry.allowed], [null, null, false])
    assert.match(step.retry.reason, /erased/)
  })
})

proves('steps.worker', 'a step under way names the process that has its run', async () => {
  const { team, runId, worker } = await cutOffCall('POST')
  const run = (await readRun(team, runId)) as Run
  assert.equal(run.status, 'running')
  await sql`delete from processes where id = ${worker}`
  assert.deepEqual((await readStep(team, runId, 1)).worker, { id: worker, host: null, pid: null })
})
