// Runs that are evaluated with the write that ends them: the same result as from their rows, exactly once, and only where nothing else is needed.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { claimRuns } from '../../engine/admission/claim.ts'
import { applyChanges } from '../../engine/ledger/apply.ts'
import { addMessage, newChange } from '../../engine/ledger/change.ts'
import { evaluateAtEnd } from './evaluateAtEnd.ts'
import { evaluationColumns } from './evaluation.ts'
import { drainEvaluations } from './evaluator.ts'
import { mayHoldSecret, secretIn } from './secretText.ts'
import { watchRunLog } from './seenLog.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { anthropicKey: 'sk-ant-canary-1234567890', anthropicUrl: provider.url },
})
const { sql } = service.context.db
const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`

interface Row {
  id: string
  results: unknown
  summary: unknown
  failed: string[]
  score: string | null
  status: string
  is_judged: boolean
  run_ended_at: Date
  noted: unknown
}

/** The evaluation that counts, with what the run's row says of it. */
async function counting(runId: string): Promise<Row | undefined> {
  const [row] = await sql<Row>`
    select e.id, shown.results, shown.summary, e.failed, e.score, e.status, e.is_judged, e.run_ended_at, r.eval_summary as noted
    from runs r join evaluations e on e.run_id = r.id and e.counts, lateral (select ${evaluationColumns}) shown where r.id = ${runId}`
  return row
}

async function isLeft(runId: string): Promise<boolean> {
  const rows = await sql`select run_id from runs_to_evaluate where run_id = ${runId}`
  return rows.length > 0
}

/** What the evaluator finds in the rows of the run. */
async function fromRows(team: TestTeam, runId: string): Promise<Row> {
  const { agent_id } = await readRun(team, runId)
  const { status, text } = await team.call(`POST /v2/agent/${agent_id}/runs/${runId}/evaluation`)
  assert.equal(status, 202, text)
  await drainEvaluations(service.context)
  return (await counting(runId))!
}

const countsOf = (teamId: string) => sql`
  select agent_id, flag, sum(evaluated)::int as evaluated, sum(with_issues)::int as with_issues from eval_counts where team_id = ${teamId}
  group by 1, 2 having sum(evaluated) <> 0 or sum(with_issues) <> 0 order by 1, 2`

/** Always the same numbers, so that a failure comes again. */
function choices(seed: number): <T>(of: readonly T[]) => T {
  let state = seed
  return (of) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return of[Math.floor((state / 2_147_483_648) * of.length)]!
  }
}

const blocks = [
  fenced('memory path=notes.md', 'All is well.'),
  fenced('memory path=other.md', 'Sch\u00f6n \ud83d\ude00 "quoted" \\ and more'),
  fenced('tool name=memory_read', '{"path": "notes.md"}'),
  fenced('tool name=memory_read', '{"path": "nowhere.md"}'),
  fenced('tool name=memory_write', '{"path": "a.md", "content": "A"}'),
  fenced('tool name=memory_write', '{"content": "A", "path": "a.md"}'),
  fenced('tool name=memory_write', '{"path": "a.md", "content": "\\ry_live and inventory_ids, risk-free"}'),
  fenced('tool name=case_complete', '{}'),
  fenced('tool name=memory_write', '{"path": 7}'),
]
const endings = [
  '',
  fenced('output', 'done'),
  fenced('output', '{"ordered": 50, "why": "{{ message }}"}'),
  fenced('output', '{{ message }}'),
]
const startedWith = [
  undefined,
  'go',
  { left: 15 },
  'a \u{1f600}',
  'the task-force of Ryan',
  'sk-illed',
  `AKIA${'A1B2'.repeat(4)}`,
]

proves(
  'evals.atEnd',
  'what is found of a run with its end is what the evaluator finds in its rows, whatever the run did',
  async () => {
    const team = await seedTeam(service)
    const choose = choices(7)
    const runIds: string[] = []
    for (let n = 0; n < 60; n++) {
      const many = Array.from({ length: choose([0, 1, 2, 3, 5]) }, () => choose(blocks))
      const data = {
        plugins: ['memory', 'cases'],
        ...(choose([true, false, false]) && { limits: { max_steps: 2 } }),
        ...(choose([true, false, false]) && { output_schema: { type: 'object', required: ['ordered'] } }),
      }
      const agentId = await seedAgent(team, [...many, choose(endings)].join('\n') || 'Nothing.', data)
      const message = choose(startedWith)
      runIds.push(await startRun(team, agentId, message === undefined ? {} : { message }))
    }
    await drainRuns(service)
    const atOnce = new Map<string, Row>()
    for (const runId of runIds) {
      const row = await counting(runId)
      assert.equal(row === undefined, await isLeft(runId), 'a run is evaluated with its end, or noted')
      if (row) atOnce.set(runId, row)
    }
    assert.ok(atOnce.size > 30, `${atOnce.size} of them were evaluated with their end`)
    assert.ok(atOnce.size < runIds.length, 'some were left')
    assert.ok(new Set([...atOnce.values()].map(({ failed }) => failed.join())).size > 4, 'they differ')
    await drainEvaluations(service.context)
    const counted = await countsOf(team.id)
    for (const [runId, { id: _id, ...found }] of atOnce) {
      const { id: _other, ...later } = await fromRows(team, runId)
      assert.deepEqual(found, later)
    }
    assert.deepEqual(await countsOf(team.id), counted, 'the counts too')
  },
)

proves('evals.atEnd', 'a run that a model drove over several turns is evaluated with its end too', async () => {
  const team = await seedTeam(service)
  const data = { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } }, plugins: ['memory'] }
  const agentId = await seedAgent(team, 'Do it.', data)
  const read = { name: 'memory_read', arguments: { path: 'nowhere.md' } }
  provider.answer(
    { text: 'I look first.', calls: [read, { name: 'memory_write', arguments: { path: 'a.md', content: 'A' } }] },
    { text: 'Once more.', calls: [read, read] },
    { text: 'It is not there.', calls: [{ name: 'no_such_tool', arguments: {} }] },
    { text: 'All done.' },
  )
  const runId = await startRun(team, agentId, { message: 'go' })
  await drainRuns(service)
  assert.equal(await isLeft(runId), false)
  const { id: _id, ...found } = (await counting(runId))!
  assert.deepEqual(found.failed, ['tool_errors_handled', 'no_repeated_calls'])
  const { id: _other, ...later } = await fromRows(team, runId)
  assert.deepEqual(found, later)
})

proves('evals.atEnd', 'a run that waited in between is left to the evaluator', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, `${fenced('approve', 'Go?')}\n${fenced('output', 'done')}`))
  await drainRuns(service)
  const { body } = await team.call(`GET /v2/runs/${runId}`)
  const request = `/v2/runs/${runId}/human-requests/${body.pending_human_request.id}`
  const answer = await team.call(`POST ${request}/respond`, { body: { approved: true } })
  assert.equal(answer.status, 200, answer.text)
  await drainRuns(service)
  assert.equal((await readRun(team, runId)).status, 'completed')
  assert.equal(await isLeft(runId), true)
})

/** A run that somebody holds, and the change that ends it. */
async function ending() {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, fenced('output', 'done'))
  const runId = await startRun(team, agentId, { message: 'go' })
  const run = (await claimRuns(sql, newId(), 100)).find(({ id }) => id === runId)!
  const change = newChange(run, 1)
  addMessage(change, { type: 'text', role: 'assistant', text_content: 'done' })
  change.move = { status: 'completed', output: 'done', wakeSeen: run.wake_seq }
  const found = watchRunLog(1).conclude({ messages: change.messages, end: { status: 'completed', output: 'done' } })!
  const checks = (messages: number) =>
    evaluateAtEnd.sql([{ runId, teamId: team.id, buildId: run.build_id, messages, found }])
  return { team, agentId, runId, change, checks }
}

const wayOf = async (runId: string) => ({ counts: (await counting(runId)) !== undefined, isLeft: await isLeft(runId) })

proves('evals.atEnd', 'a log with a message that was not looked at is left to the evaluator', async () => {
  const missed = await ending()
  await applyChanges(sql, [missed.change], missed.checks(1))
  assert.deepEqual(await wayOf(missed.runId), { counts: false, isLeft: true })
  const whole = await ending()
  await applyChanges(sql, [whole.change], whole.checks(2))
  assert.deepEqual(await wayOf(whole.runId), { counts: true, isLeft: false })
})

proves('evals.atEnd', 'a rubric that is added before the end is not passed over', async () => {
  const { team, agentId, runId, change, checks } = await ending()
  const rubric = { title: 'Stays polite', description: 'Every message to the customer is friendly.' }
  assert.equal((await team.call(`POST /v2/agents/${agentId}/eval-rubrics`, { body: rubric })).status, 200)
  await applyChanges(sql, [change], checks(2))
  assert.deepEqual(await wayOf(runId), { counts: false, isLeft: true })
})

proves('evals.atEnd', 'an end that is not written leaves no evaluation, and one that comes again has one', async () => {
  const { runId, change, checks } = await ending()
  const [late] = (await applyChanges(sql, [{ ...change, epoch: change.epoch + 1 }], checks(2))).applied
  assert.equal(late!.outcome, 'fenced')
  await assert.rejects(
    service.context.db.transaction(async (cutOff) => {
      await applyChanges(cutOff, [change], checks(2))
      throw new Error('cut off')
    }),
    /cut off/,
  )
  assert.deepEqual(await wayOf(runId), { counts: false, isLeft: false })
  await applyChanges(sql, [change], checks(2))
  const made = await sql`select id from evaluations where run_id = ${runId}`
  assert.equal(made.length, 1)
})

proves('evals.atEnd', 'a run that ends again after it was evaluated with its end is evaluated again', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, fenced('output', 'done')))
  await drainRuns(service)
  const first = (await counting(runId))!
  await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Go on.' } })
  await drainRuns(service)
  assert.equal(await isLeft(runId), true)
  await drainEvaluations(service.context)
  assert.notEqual((await counting(runId))!.id, first.id)
})

const said = (text: string) => ({
  id: newId(),
  turn: 1,
  role: 'assistant',
  text_content: text,
  tool_call: null,
  tool_result: null,
})
const completed = { status: 'completed' as const, output: null }

proves('evals.atEnd', 'a long log is left to the evaluator, and what the last write may cost is bounded', () => {
  const long = 'word '.repeat(20_000)
  assert.equal(watchRunLog(0).conclude({ messages: [said(long)], end: completed }), undefined)
  const several = watchRunLog(0)
  several.see([said(long)])
  assert.ok(several.conclude({ messages: [said('done')], end: completed }))
  several.see([said(long), said(long)])
  assert.equal(several.conclude({ messages: [said('done')], end: completed }), undefined)
  const many = watchRunLog(0)
  for (let n = 0; n < 501; n++) many.see([said('word')])
  assert.equal(many.conclude({ messages: [], end: completed }), undefined)
})

proves('evals.secrets', 'text without the beginning of a secret is not looked through for one, and misses none', () => {
  const secrets = [
    `ry_0123456789ab_${'A1b2C3d4'.repeat(5)}_abc123`,
    `whsec_${'A1b2'.repeat(6)}`,
    `sk-ant-api03-${'aB3'.repeat(10)}`,
    `AIza${'aB3_-'.repeat(7)}`,
    `ASIA${'A1B2'.repeat(4)}`,
    `ghp_${'aB3'.repeat(12)}`,
    `github_pat_${'aB3_'.repeat(15)}`,
    `xoxb-${'1234-'.repeat(6)}`,
    `rk_live_${'aB3'.repeat(8)}`,
    '-----BEGIN RSA PRIVATE KEY-----',
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'aB3'.repeat(10)}`,
  ]
  for (const secret of secrets) {
    for (const before of ['', ' ', '"', '\n', '\\r', '-', '\u00e9']) {
      const text = `${before}${secret} and more`
      assert.ok(secretIn(text) === undefined || mayHoldSecret(text), text)
    }
    assert.ok(mayHoldSecret(secret))
  }
  assert.equal(mayHoldSecret('memory_write of the task-force'), false)
})

proves(
  'evals.atEnd',
  'a carriage return whose escape makes the beginning of a key is seen as PostgreSQL sees it',
  () => {
    const result = { tool_call_id: 'x', result: `\ry_0123456789ab_${'A1b2C3d4'.repeat(5)}`, error: null }
    const told = { ...said(''), role: 'tool', text_content: null, tool_result: result }
    assert.equal(watchRunLog(0).conclude({ messages: [told], end: completed }), undefined)
  },
)
