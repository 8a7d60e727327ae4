// The execution report: what a run did, what that took, and how it ended.
import assert from 'node:assert/strict'
import { seedTeam } from '../../../test/kit/seed.ts'
import { insertRun, insertStep, type RunRow, type StepRow } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { engineOf } from '../../engine/engine.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const { body: made } = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Triage' } })
const at = (seconds: number) => new Date(Date.UTC(2026, 4, 1, 10, 0, seconds))

async function runWith(
  row: Omit<RunRow, 'team_id' | 'agent_id' | 'build_id'>,
  steps: Omit<StepRow, 'run_id' | 'seq'>[] = [],
) {
  const id = await insertRun(team.sql, { team_id: team.id, agent_id: made.agent_id, build_id: made.build_id, ...row })
  for (const [index, step] of steps.entries()) await insertStep(team.sql, { run_id: id, seq: index + 1, ...step })
  return id
}

async function reportOf(id: string) {
  const { body } = await team.call(`GET /v2/agent/${made.agent_id}/runs/${id}/workflow-execution-report`)
  assert.deepEqual([body.run_id, body.status], [id, body.report.status])
  return body.report
}

proves('runs.report', 'it tells every step with its input, output and time, and adds it all up', async () => {
  const id = await runWith(
    {
      status: 'failed',
      error: { code: 'step_failed', message: 'The server answered 503.', step: 2 },
      created_at: at(0),
      started_at: at(1),
      completed_at: at(61),
      active_ms: 12_000,
      input_tokens: 900,
      output_tokens: 80,
      cost_usd: '0.0123',
    },
    [
      {
        kind: 'model',
        tool: 'anthropic:some',
        state: 'done',
        attempt: 3,
        input_tokens: 900,
        output_tokens: 80,
        started_at: at(1),
        completed_at: at(4),
      },
      {
        kind: 'tool',
        tool: 'http_request',
        state: 'failed',
        arguments: { url: 'https://example.com' },
        error: 'The server answered 503.',
        started_at: at(4),
        completed_at: at(5),
      },
      {
        kind: 'human',
        tool: 'human_approve',
        state: 'done',
        arguments: { title: 'Pay?' },
        result: { approved: true },
        started_at: at(5),
        completed_at: at(50),
      },
      {
        kind: 'sub_run',
        tool: 'agents_run',
        state: 'cut_off',
        arguments: { agent: 'Helper' },
        result: { waiting_on: {} },
        started_at: at(50),
        completed_at: at(61),
      },
    ],
  )
  await team.sql`
    insert into human_requests (id, team_id, run_id, step, type, title, status)
    values (${newId()}, ${team.id}, ${id}, 3, 'approval', 'Pay?', 'responded')`
  const report = await reportOf(id)
  assert.deepEqual([report.duration_ms, report.active_ms, report.waiting_ms], [60_000, 12_000, 48_000])
  assert.deepEqual(report.totals, {
    model_calls: 1,
    tool_calls: 3,
    tool_errors: 1,
    retries: 2,
    human_requests: 1,
    files: 0,
    screenshots: 0,
    input_tokens: 900,
    output_tokens: 80,
    cost_usd: 0.0123,
  })
  assert.deepEqual(
    report.steps.map(({ seq, kind, title, tool, status, attempts, duration_ms }: Record<string, unknown>) => [
      seq,
      kind,
      title,
      tool,
      status,
      attempts,
      duration_ms,
    ]),
    [
      [1, 'model', 'Asked anthropic:some', null, 'done', 3, 3000],
      [2, 'tool', 'Called http_request', 'http_request', 'failed', 1, 1000],
      [3, 'human', 'Asked a person: Pay?', 'human_approve', 'done', 1, 45_000],
      [4, 'sub_run', 'Ran Helper', 'agents_run', 'cut_off', 1, 11_000],
    ],
  )
  const [model, http, human, sub] = report.steps
  assert.deepEqual(model.tokens, { input: 900, output: 80 })
  assert.deepEqual(
    [http.input, http.output, http.error],
    [{ url: 'https://example.com' }, null, 'The server answered 503.'],
  )
  assert.deepEqual([human.output, sub.output, human.tokens], [{ approved: true }, null, null])
  assert.deepEqual(report.outcome, {
    summary: 'Failed at step 2 after 4 steps in 1 min, 12 s of them active: The server answered 503.',
    failure_class: 'step_failed',
  })
  assert.equal(report.steps_total, 4)
})

proves(
  'runs.reportCut',
  'long inputs and outputs are cut with a mark, and of very many steps the last thousand are shown',
  async () => {
    const long = 'ü'.repeat(20_000)
    const id = await runWith({ status: 'running', started_at: at(0), running_since: new Date() })
    await team.sql`
    insert into run_steps (run_id, seq, turn, kind, tool, state, arguments, result, started_at)
    select ${id}, n, n, 'tool', 'memory_write', 'done', to_jsonb(n), to_jsonb('x'::text), now() from generate_series(1, 2499) n`
    await insertStep(team.sql, {
      run_id: id,
      seq: 2500,
      kind: 'tool',
      tool: 'http_request',
      state: 'intent',
      arguments: { long },
      result: null,
    })
    const report = await reportOf(id)
    assert.deepEqual([report.steps.length, report.steps_total, report.totals.tool_calls], [1000, 2500, 2500])
    assert.deepEqual([report.steps[0].seq, report.steps[998].input, report.steps[999].status], [1501, 2499, 'running'])
    const { input } = report.steps[999] as { input: string }
    assert.match(input, /^\{"long": "ü+ … \[cut: 40012 bytes in all\]$/)
    assert.ok(Buffer.byteLength(input) < 16 * 1024 + 100)
    assert.match(report.outcome.summary, /^Not ended yet: running, 2500 steps in /)
  },
)

const outcomeOf = async (row: Parameters<typeof runWith>[0]) => (await reportOf(await runWith(row))).outcome

proves(
  'runs.reportOutcome',
  'the outcome is one honest sentence for every way to end, or not to have ended',
  async () => {
    const ended = { created_at: at(0), started_at: at(0), completed_at: at(5), active_ms: 4000 }
    assert.deepEqual(await outcomeOf({ status: 'completed', ...ended }), {
      summary: 'Completed after 0 steps in 5 s, 4 s of them active.',
      failure_class: null,
    })
    assert.equal((await outcomeOf({ status: 'stopped', completed_at: at(5) })).summary, 'Stopped before it began.')
    assert.equal((await outcomeOf({ status: 'pending' })).summary, 'Not begun yet.')
    assert.match((await outcomeOf({ status: 'waiting', started_at: at(0) })).summary, /^Not ended yet: waiting, /)
  },
)

proves('runs.report', 'a run that the engine drove is shown as it happened', async () => {
  const instructions = '```memory path=notes/a.md\nOne thing\n```\n\n```output\ndone\n```\n'
  const { body: agent } = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Writer', instructions } })
  const { body: started } = await team.call('POST /v2/teams/:teamId/runs', {
    body: { agent_id: agent.agent_id, message: 'Go' },
  })
  await engineOf(service.context).drain()
  const { body } = await team.call(`GET /v2/agent/${agent.agent_id}/runs/${started.run_id}/workflow-execution-report`)
  assert.equal(body.status, 'completed')
  assert.deepEqual(
    [body.report.steps_total, body.report.steps[0].status, body.report.totals.tool_errors],
    [1, 'done', 0],
  )
  assert.match(body.report.outcome.summary, /^Completed after 1 step in /)
})
