// Answers that PostgreSQL cannot hold: the call is made once, its run continues, and the log says what happened.
import assert from 'node:assert/strict'
import { after, suite } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: 'sk-ant-1234567890', anthropicUrl: provider.url },
})
const { sql } = service.context.db
const receiver = await startReceiver()

const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const calling = (method: string) =>
  `${fenced('http id=call on_error=continue', `${method} ${receiver.url}/it`)}\n${fenced('output', '{{ steps.call | json }}')}`

async function runWith(method: string, type: string | undefined, body: string) {
  receiver.received.length = 0
  receiver.answer(200, type === undefined ? {} : { 'content-type': type }, body)
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, calling(method)))
  await drainRuns(service)
  const run = await readRun(team, runId)
  const steps = await sql<{ state: string; attempt: number; result: { body?: unknown }; error: string | null }>`
    select state, attempt, result, error from run_steps where run_id = ${runId} order by seq`
  const asked = await sql`select id from human_requests where run_id = ${runId}`
  return { run, steps, asked: asked.length, calls: receiver.received.length }
}

let nested = '0'
for (let level = 0; level < 9000; level++) nested = `[${nested}]`

suite('an answer', () => {
  for (const method of ['GET', 'POST']) {
    for (const [what, type, body, kept] of [
      ['with a NUL in its JSON', 'application/json', '{"a\\u0000": "x\\u0000y"}', { 'a\ufffd': 'x\ufffdy' }],
      [
        'with half a character in its JSON',
        'application/json',
        '["\\ud83d", "\\u00e9\\ud83d\\ude00"]',
        ['\ufffd', 'é😀'],
      ],
      ['with a NUL in its text', 'text/plain', 'a\u0000b', 'a\ufffdb'],
    ] as const) {
      proves('runs.unstorable', `${what} to a ${method} is kept without that, after one call`, async () => {
        const seen = await runWith(method, type, body)
        assert.deepEqual([seen.run.status, seen.calls, seen.asked], ['completed', 1, 0])
        assert.deepEqual([seen.steps[0]!.state, seen.steps[0]!.attempt, seen.steps[0]!.result.body], ['done', 1, kept])
      })
    }
  }

  proves('runs.unstorable', 'that is nested without an end is kept as its text, after one call', async () => {
    const seen = await runWith('POST', 'application/json', nested)
    assert.deepEqual([seen.run.status, seen.calls, seen.asked], ['completed', 1, 0])
    assert.ok(seen.steps[0]!.result.body === nested)
  })

  proves('runs.unstorable', 'of bytes without a type is kept as base64', async () => {
    const seen = await runWith('GET', undefined, 'a\u0000b')
    assert.deepEqual(seen.steps[0]!.result, { status: 200, content_type: null, body_base64: 'YQBi' })
  })

  proves(
    'runs.unsaved',
    'that the database refuses for any reason ends its step with that reason, and the call is not repeated',
    async (t) => {
      await sql`
      create function refuse_poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$`
      await sql`
      create trigger poison before insert on run_messages for each row
      when (new.tool_result::text like '%poison%') execute function refuse_poison()`
      t.after(() => sql`drop function refuse_poison() cascade`)
      for (const method of ['GET', 'POST']) {
        const { run, steps, asked, calls } = await runWith(method, 'text/plain', 'poison')
        assert.deepEqual([run.status, calls, asked], ['completed', 1, 0])
        assert.deepEqual(
          steps.map(({ state, attempt, error }) => [state, attempt, error]),
          [['failed', 1, 'The call succeeded but its result could not be saved; see the server log.']],
        )
      }
    },
  )
})

suite('a model', () => {
  proves(
    'runs.unstorable',
    'that writes what cannot be stored, in its words and in its calls, loses only that',
    async () => {
      receiver.received.length = 0
      receiver.answer(200, { 'content-type': 'text/plain' }, 'ok')
      provider.answer(
        {
          text: 'half \ud83d',
          calls: [{ name: 'http_request', arguments: { method: 'POST', url: `${receiver.url}/a`, body: 'x\u0000' } }],
        },
        { text: 'all\u0000 done' },
      )
      const team = await seedTeam(service)
      const data = { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } }, plugins: ['http'] }
      const runId = await startRun(team, await seedAgent(team, '# Call it', data))
      await drainRuns(service)
      const run = await readRun(team, runId)
      assert.deepEqual([run.status, run.output, receiver.received.length], ['completed', 'all\ufffd done', 1])
      assert.equal(receiver.received[0]!.body.toString(), 'x\ufffd')
    },
  )
})
