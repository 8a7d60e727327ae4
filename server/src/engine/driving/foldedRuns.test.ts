// Long runs in a small window: what their model is shown, what it is asked to note, and what a provider's refusal teaches.
import assert from 'node:assert/strict'
import { after, suite } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import type { FakeAnswer, FakeRequest } from '../../../test/fakes/fakeProvider.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const window = 8000
const service = await testApp({
  config: {
    anthropicKey: 'sk-ant-canary-1234567890',
    anthropicUrl: provider.url,
    modelWindows: { 'anthropic:small': window, 'anthropic:*': 200_000 },
  },
})
const { sql } = service.context.db

interface Spoken {
  role: string
  content: { type: string; text?: string }[]
}

const tokensOf = ({ body }: FakeRequest): number => Math.ceil(JSON.stringify(body).length / 4)
const isForNotes = ({ body }: FakeRequest): boolean => body.tools === undefined
/** Without the marks for the provider's cache, which move with the end. */
const spoken = ({ body }: FakeRequest): string[] =>
  (body.messages as Spoken[]).map((message) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, ''))

/** A model that looks `turns` times at a file of 2,000 characters, then says what it was shown first; it notes what it has noted before. */
function looksOften(turns: number, instead: (request: FakeRequest) => FakeAnswer | undefined = () => undefined): void {
  let looks = 0
  function serve(request: FakeRequest): FakeAnswer {
    provider.answer(serve)
    const usage = { input: tokensOf(request), output: 20 }
    const other = instead(request)
    if (other) return { usage, ...other }
    if (isForNotes(request)) return { text: 'The order is 4711. All looks were alike.', usage }
    if (looks++ < turns) return { calls: [{ name: 'memory_read', arguments: { path: 'long.md' } }], usage }
    return { text: spoken(request)[0]!, usage }
  }
  provider.forget()
  provider.requests.length = 0
  provider.answer(serve)
}

async function seedLookingAgent(team: TestTeam, model = 'anthropic:small'): Promise<string> {
  const agentId = await seedAgent(team, 'Look at long.md.', {
    models: { agent: { model } },
    plugins: ['memory'],
  })
  const { status } = await team.call(`PUT /v2/agents/${agentId}/memory/files/long.md`, {
    body: { content: 'l'.repeat(2000) },
  })
  assert.equal(status, 200)
  return agentId
}

const stepsOf = (runId: string) => sql<{ room: string | null; state: string; seq: number }>`
  select seq, state, arguments ->> 'room' as room from run_steps where run_id = ${runId} and kind = 'model' order by seq`

suite('a run that is longer than its model’s window', () => {
  proves('runs.folding', 'shortens and folds so that every request fits, and counts what it used', async () => {
    const team = await seedTeam(service)
    looksOften(36)
    const runId = await startRun(team, await seedLookingAgent(team), { message: 'Look for order 4711.' })
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'completed', JSON.stringify(run.error))
    assert.match(run.output, /You noted of them:.*The order is 4711/)
    const rooms = (await stepsOf(runId)).map(({ room }) => room)
    assert.ok(rooms.includes('fold') && rooms.includes('shorten'), rooms.join())
    const sizes = provider.requests.map(tokensOf)
    assert.ok(Math.max(...sizes) <= window * 0.8, `${Math.max(...sizes)} tokens`)
    assert.equal(
      run.usage.input_tokens,
      sizes.reduce((sum, size) => sum + size, 0),
    )
    assert.equal(run.usage.steps, 36 + rooms.length)
    // the beginning changes only where room was made
    const turns = provider.requests.filter((request) => !isForNotes(request)).map(spoken)
    const breaks = turns
      .slice(1)
      .filter((next, index) => turns[index]!.some((message, place) => next[place] !== message))
    assert.ok(breaks.length <= rooms.filter((room) => room !== null).length, `${breaks.length} breaks`)
  })

  proves(
    'runs.foldingShown',
    'is seen in its steps with what was folded, and in its messages with the notes',
    async () => {
      const team = await seedTeam(service)
      looksOften(24)
      const agentId = await seedLookingAgent(team)
      const runId = await startRun(team, agentId)
      await drainRuns(service)
      const fold = (await stepsOf(runId)).find(({ room }) => room === 'fold')!
      const { body: listed } = await team.call(`GET /v2/runs/${runId}/steps?limit=1&offset=${fold.seq - 1}`)
      const [{ title, detail, kind, tokens }] = listed.steps
      assert.deepEqual([kind, title], ['model', 'Folding'])
      assert.match(detail, /^turns 1 to \d+, [\d,]+ → [\d,]+ tokens$/)
      assert.ok(tokens.input > 0)
      const { body: whole } = await team.call(`GET /v2/runs/${runId}/steps/${fold.seq}`)
      assert.equal(whole.step.arguments.from_turn, 1)
      assert.match(whole.step.result.notes, /The order is 4711/)
      assert.match(whole.step.result.says, /^Folded turns 1 to \d+ with \d+ results into notes: about/)
      const { body } = await team.call(`GET /v2/runs/${runId}/messages?limit=500`)
      const noted = body.messages.filter(({ role }: { role: string }) => role === 'system')
      assert.match(
        noted.map(({ text_content }: { text_content: string }) => text_content).join('\n'),
        /Folded turns[\s\S]*4711/,
      )
      const { body: told } = await team.call(`GET /v2/agent/${agentId}/runs/${runId}/workflow-execution-report`)
      assert.equal(
        told.report.totals.model_calls,
        (await stepsOf(runId)).filter(({ room }) => room !== 'shorten').length,
      )
    },
  )

  proves('runs.foldingDurable', 'is shown the same by the next process, which reads it from the rows', async () => {
    const team = await seedTeam(service)
    looksOften(24)
    const runId = await startRun(team, await seedLookingAgent(team))
    await drainRuns(service)
    const before = spoken(provider.requests.at(-1)!)
    assert.match(before[0]!, /You noted of them/)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And again.' } })
    await drainRuns(service)
    const again = spoken(provider.requests.at(-1)!)
    assert.deepEqual(again.slice(0, before.length), before)
    assert.match(again.at(-1)!, /And again\./)
  })

  proves('runs.foldingTooLong', 'folds and continues when its provider says that the request is too long', async () => {
    const team = await seedTeam(service)
    const message = 'prompt is too long: 9000 tokens > 8000 maximum'
    looksOften(25, (request) =>
      tokensOf(request) > window ? { status: 400, error: { message, type: 'invalid_request_error' } } : undefined,
    )
    const runId = await startRun(team, await seedLookingAgent(team, 'anthropic:larger'))
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'completed', JSON.stringify(run.error))
    const steps = await stepsOf(runId)
    assert.ok(steps.some(({ state }) => state === 'failed'))
    assert.ok(steps.filter(({ state }) => state === 'failed').length <= 2, 'what was learned is kept')
  })

  proves('runs.foldingTooLong', 'a process that takes the run over does not ask again for too much', async () => {
    const team = await seedTeam(service)
    looksOften(10)
    const runId = await startRun(team, await seedLookingAgent(team, 'anthropic:larger'))
    await drainRuns(service)
    const learned = 3000
    assert.ok(tokensOf(provider.requests.at(-1)!) > learned)
    // what a process leaves that dies right after the refusal
    await sql`
      insert into run_steps (run_id, seq, turn, kind, tool, state, result, error, started_at, completed_at)
      select run_id, max(seq) + 1, max(turn), 'model', 'anthropic:larger', 'failed', ${JSON.stringify({ learned_window: learned })}::jsonb,
        'prompt is too long', now(), now() from run_steps where run_id = ${runId} group by run_id`
    looksOften(0)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And again.' } })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).status, 'completed')
    assert.ok(provider.requests.length > 0)
    for (const request of provider.requests) assert.ok(tokensOf(request) <= learned, String(tokensOf(request)))
  })

  proves('runs.foldingTooLong', 'fails with its provider’s words when nothing is left to leave out', async () => {
    const team = await seedTeam(service)
    looksOften(1, () => ({ status: 400, error: { message: 'prompt is too long', type: 'invalid_request_error' } }))
    const runId = await startRun(team, await seedLookingAgent(team))
    await drainRuns(service)
    const { status, error } = await readRun(team, runId)
    assert.deepEqual([status, error.code], ['failed', 'model_refused_request'])
    assert.match(error.message, /prompt is too long/)
  })

  proves('runs.foldingRefused', 'continues with its log in short when the model writes no notes', async () => {
    const team = await seedTeam(service)
    looksOften(24, (request) => (isForNotes(request) ? { text: 'I cannot.', finish: 'refusal' } : undefined))
    const runId = await startRun(team, await seedLookingAgent(team))
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'completed', JSON.stringify(run.error))
    assert.match(run.output, /The model wrote no notes about the following part/)
  })
})

const ask = (args: object) => ({ calls: [{ name: 'recall', arguments: args }] })

proves(
  'runs.recall',
  'a model reads an old result whole by its step, in pieces, and finds words in the log',
  async () => {
    const team = await seedTeam(service)
    provider.forget()
    provider.answer(
      { calls: [{ name: 'memory_read', arguments: { path: 'long.md' } }] },
      ask({ step: 2 }),
      ask({ find: 'THE NEEDLE' }),
      ask({ step: 2, find: 'both' }),
      ask({ step: 999 }),
      (request) => ({ text: JSON.stringify(request.body.messages) }),
    )
    const agentId = await seedLookingAgent(team)
    const content = `${'hay '.repeat(1600)}the needle${' hay'.repeat(300)}`
    await team.call(`PUT /v2/agents/${agentId}/memory/files/long.md`, { body: { content } })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const results = await sql<{ result: Record<string, unknown> | null; error: string | null }>`
    select result, error from run_steps where run_id = ${runId} and tool = 'recall' order by seq`
    const [whole, found, both, missing] = results
    assert.deepEqual([whole?.result?.['tool'], whole?.result?.['next_offset']], ['memory_read', 6000])
    assert.match(String(whole?.result?.['result']), /hay hay/)
    const [hit] = (found?.result?.['found'] ?? []) as { step: number; text: string }[]
    assert.equal(hit?.step, 2)
    assert.match(hit?.text ?? '', /hay the needle hay/)
    assert.match(both?.error ?? '', /either step or find/)
    assert.match(missing?.error ?? '', /Step 999/)
  },
)
