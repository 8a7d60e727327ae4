// Runs whose build names several models: when the next one is taken, what is counted, and what a takeover finds.
import assert from 'node:assert/strict'
import { after, suite } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import type { FakeAnswer } from '../../../test/fakes/fakeProvider.ts'
import { startFakeOpenai } from '../../../test/fakes/openai.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { newId } from '../../base/ids.ts'
import { claimRuns, reviveRuns } from '../admission/claim.ts'

const first = await startFakeAnthropic()
const second = await startFakeOpenai()
after(async () => {
  await first.close()
  await second.close()
})
const service = await testApp({
  config: {
    anthropicKey: 'sk-ant-canary-1234567890',
    anthropicUrl: first.url,
    openaiKey: 'sk-openai-canary-1234567890',
    openaiUrl: second.url,
    modelPatienceS: 1,
  },
})
const { sql } = service.context.db
const [one, two] = ['anthropic:claude-sonnet-4-5', 'openai:gpt-5']
const agentOf = (team: TestTeam, models: string[] = [one, two]) =>
  seedAgent(team, 'Do it.', { models: { agent: models.map((model) => ({ model })) }, plugins: ['memory'] })

const stepsOf = (runId: string) => sql`
  select tool, state, result->>'left_for' as left_for, result->>'reason' as reason, input_tokens::int, output_tokens::int
  from run_steps where run_id = ${runId} and kind = 'model' order by seq`

async function runWith(team: TestTeam, answers: FakeAnswer[], then: FakeAnswer[] = [{ text: 'by the second' }]) {
  await sql`delete from model_breakers`
  first.forget()
  second.forget()
  first.answer(...answers)
  second.answer(...then)
  const runId = await startRun(team, await agentOf(team))
  await drainRuns(service)
  return { runId, run: await readRun(team, runId), steps: await stepsOf(runId) }
}

suite('a build with two models', () => {
  proves(
    'routes.breaker',
    'a run with another model does not ask a provider whose breaker is open, and one without asks it',
    async () => {
      const team = await seedTeam(service)
      await sql`
      insert into model_breakers (provider, team_id, is_own, failures, openings, open_until)
      values ('anthropic', ${team.id}, false, 9, 1, now() + interval '1 hour')`
      first.forget()
      second.forget()
      first.answer({ text: 'by the first' })
      second.answer({ text: 'by the second' })
      const both = await startRun(team, await agentOf(team))
      await drainRuns(service)
      assert.equal((await readRun(team, both)).output, 'by the second')
      const lone = await startRun(team, await agentOf(team, [one]))
      await drainRuns(service)
      assert.equal((await readRun(team, lone)).output, 'by the first')
      assert.deepEqual(await sql`select provider from model_breakers`, [], 'an answer closes it')
    },
  )

  proves(
    'routes.next',
    'takes the next when the first is down, overloaded past its patience, or refuses the key',
    async () => {
      const team = await seedTeam(service)
      const cases: [reason: string, answers: FakeAnswer[]][] = [
        ['down', [{ status: 500, error: { message: 'oops' } }]],
        ['overloaded', [{ status: 529, headers: { 'retry-after': '30' }, error: { message: 'Overloaded' } }]],
        [
          'broken',
          [
            { text: ['ha', 'lf'], instead: 'break' },
            { text: ['ha', 'lf'], instead: 'break' },
          ],
        ],
        ['key', [{ status: 401, error: { message: 'invalid x-api-key' } }]],
      ]
      for (const [reason, answers] of cases) {
        const { runId, run, steps } = await runWith(team, answers)
        assert.deepEqual([reason, run.status, run.output], [reason, 'completed', 'by the second'])
        assert.deepEqual(
          steps.map(({ tool, state, left_for, reason: why }) => [tool, state, left_for, why]),
          [
            [one, 'failed', two, reason],
            [two, 'done', null, null],
          ],
        )
        await readEvents(service, runId)
      }
    },
  )

  proves(
    'routes.policy',
    'counts what a refusal by policy used, and does not ask that model again in this run',
    async () => {
      const team = await seedTeam(service)
      const asked = first.requests.length
      const { run, steps } = await runWith(
        team,
        [{ text: 'I will not', finish: 'refusal', usage: { input: 100, output: 7 } }],
        [
          {
            calls: [{ name: 'memory_write', arguments: { path: 'a.md', content: 'A' } }],
            usage: { input: 200, output: 9 },
          },
          { text: 'done', usage: { input: 300, output: 5 } },
        ],
      )
      assert.deepEqual([run.status, run.output], ['completed', 'done'])
      assert.equal(first.requests.length, asked + 1)
      assert.deepEqual([run.usage.input_tokens, run.usage.output_tokens], [600, 21])
      assert.deepEqual(
        steps.map(({ tool, reason, input_tokens }) => [tool, reason, input_tokens]),
        [
          [one, 'policy', 100],
          [two, null, 200],
          [two, null, 300],
        ],
      )
      const { body } = await team.call('GET /v2/teams/:teamId/billing/usage')
      const byModel = body.usage.by_model.map(({ model, tokens }: { model: string; tokens: number }) => [model, tokens])
      assert.deepEqual(byModel.toSorted(), [
        [one, 107],
        [two, 514],
      ])
    },
  )

  proves('routes.breakerOfTeam', 'an answer that breaks off does not count for the breaker', async () => {
    const team = await seedTeam(service)
    const half: FakeAnswer = { text: ['ha', 'lf'], instead: 'break' }
    const { run } = await runWith(team, [half, half])
    assert.equal(run.output, 'by the second')
    assert.deepEqual(await sql`select * from model_breakers where team_id = ${team.id}`, [])
  })

  const down: FakeAnswer = { status: 500, error: { message: 'oops' } }

  proves('routes.rounds', 'when no model answers, all are asked once more in their order', async () => {
    const team = await seedTeam(service)
    const { run, steps } = await runWith(team, [down, down], [down, { text: 'by the second' }])
    assert.deepEqual([run.status, run.output], ['completed', 'by the second'])
    assert.deepEqual(
      steps.map(({ tool, left_for }) => [tool, left_for]),
      [
        [one, two],
        [two, one],
        [one, two],
        [two, null],
      ],
    )
  })

  proves(
    'routes.rounds',
    'a pause that is long is taken without a worker, and after ten rounds the failure names each model with its reason',
    async () => {
      const team = await seedTeam(service)
      await sql`delete from model_breakers`
      first.forget()
      second.forget()
      const runId = await startRun(team, await agentOf(team))
      const worker = newId()
      await claimRuns(sql, worker, 100)
      const round = { left_for: one, reason: 'down', ends_round: true }
      await sql`
        insert into run_steps (run_id, seq, turn, kind, tool, state, result, error, started_at, completed_at)
        select ${runId}, n, 1, 'model', ${two}, 'failed', ${JSON.stringify(round)}::jsonb, 'earlier', now(), now()
        from generate_series(1, 8) n`
      await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
      first.answer(down, { status: 503, error: { message: 'full' }, headers: { 'retry-after': '60' } })
      second.answer(down, { status: 502, error: { message: 'no way' } })
      await drainRuns(service)
      const waiting = await readRun(team, runId)
      assert.deepEqual([waiting.status, waiting.waiting_on.kind], ['waiting', 'time'])
      await sql`update runs set due_at = now() - interval '1 second' where id = ${runId}`
      await drainRuns(service)
      const { status, error } = await readRun(team, runId)
      assert.deepEqual([status, error.code], ['failed', 'model_unavailable'])
      assert.match(
        error.message,
        /None of its 2 models .*claude-sonnet-4-5: .*503: full.*gpt-5: .*502: no way.*asked 10 times/,
      )
    },
  )

  proves('routes.badRequest', 'never takes the next for a request that is wrong', async () => {
    const team = await seedTeam(service)
    const asked = second.requests.length
    const { run } = await runWith(team, [
      { status: 400, error: { message: 'tools.0: wrong', type: 'invalid_request_error' } },
    ])
    assert.deepEqual([run.status, run.error.code], ['failed', 'model_refused_request'])
    assert.equal(second.requests.length, asked)
  })

  proves('routes.patience', 'stays with the first when it is only slow for a moment', async () => {
    const team = await seedTeam(service)
    const { run, steps } = await runWith(team, [
      { status: 529, headers: { 'retry-after-ms': '5' }, error: { message: 'Overloaded' } },
      { text: 'by the first' },
    ])
    assert.equal(run.output, 'by the first')
    assert.deepEqual(
      steps.map(({ tool, state }) => [tool, state]),
      [[one, 'done']],
    )
  })

  proves(
    'routes.takeover',
    'a process that takes the run over finds in the ledger which models it has left',
    async () => {
      const team = await seedTeam(service)
      await sql`delete from model_breakers`
      first.forget()
      const asked = first.requests.length
      for (const isAsked of [true, false]) {
        second.forget()
        second.answer({ text: 'after all' })
        const runId = await startRun(team, await agentOf(team))
        const worker = newId()
        await claimRuns(sql, worker, 100)
        await sql`
        insert into run_steps (run_id, seq, turn, kind, tool, state, result, started_at, completed_at)
        values (${runId}, 1, 1, 'model', ${one}, 'failed', ${JSON.stringify({ left_for: two, reason: 'policy' })}::jsonb, now(), now())`
        if (isAsked) {
          await sql`
          insert into run_steps (run_id, seq, turn, kind, tool, state, started_at) values (${runId}, 2, 1, 'model', ${two}, 'intent', now())`
        }
        await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
        await drainRuns(service)
        assert.equal((await readRun(team, runId)).output, 'after all')
        const steps = await stepsOf(runId)
        assert.deepEqual(
          steps.map(({ tool, state }) => [tool, state]),
          [
            [one, 'failed'],
            [two, 'done'],
          ],
        )
      }
      assert.equal(first.requests.length, asked)
    },
  )
})
