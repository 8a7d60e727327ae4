// Replays of runbooks: exact where nothing changed, exact about what did, and without a single call.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { draftOf, recordedSet, replayed, reportsOf } from '../../../test/kit/replays.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const receiver = await startReceiver()
const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { sql } = service.context.db
const plugins = ['http', 'memory', 'schedule', 'human']

const block = (word: string, body: string): string => `\`\`\`${word}\n${body}\n\`\`\`\n`
const call = (id: string, path: string): string => block(`http id=${id}`, `GET ${receiver.url}${path}`)
const output = block('output', '{"number": {{ message.number }}, "run": "{{ run.id }}"}')
/** It asks outside, writes inside, waits, and says which run it is. */
const usual = call('order', '/orders/{{ message.number }}') + block('wait', '0s') + output

async function recordedRuns(team: TestTeam, procedure: string, count: number): Promise<string> {
  const agentId = await seedAgent(team, procedure, { plugins })
  for (let number = 1; number <= count; number++) await startRun(team, agentId, { message: { number } })
  await drainRuns(service)
  return agentId
}

/** Everything that a run could leave in the world or in our database. */
async function effects(team: TestTeam): Promise<object> {
  const [counts] = await sql`
    select (select count(*) from runs where team_id = ${team.id}) as runs, (select count(*) from events where team_id = ${team.id}) as events,
      (select count(*) from human_requests where team_id = ${team.id}) as requests,
      (select count(*) from run_steps s join runs r on r.id = s.run_id where r.team_id = ${team.id}) as steps,
      (select count(*) from usage_entries where team_id = ${team.id}) as used`
  return { ...counts, calls: receiver.received.length }
}

proves('replays.runbooks', 'a runbook that did not change replays exactly, run by run', async () => {
  const team = await seedTeam(service)
  const agentId = await recordedRuns(team, usual, 5)
  const setId = await recordedSet(team, agentId)
  const before = await effects(team)
  const replay = await replayed(service, team, setId, { build_id: await draftOf(team, agentId, usual, { plugins }) })
  const { state, runs, runs_same, match, cost_usd, score, recorded_score } = replay
  assert.deepEqual(
    { state, runs, runs_same, match, cost_usd, score, recorded_score },
    { state: 'completed', runs: 5, runs_same: 5, match: 1, cost_usd: '0', score: 1, recorded_score: 1 },
    JSON.stringify(await reportsOf(team, replay.id), null, 1),
  )
  assert.deepEqual(await effects(team), before, 'nothing happened')
  for (const { report } of await reportsOf(team, replay.id)) {
    assert.deepEqual(report.findings, [])
    assert.deepEqual(report.replayed.output, report.recorded.output)
    assert.ok(report.calls.length === 2 && report.calls.every(({ is_same }: { is_same: boolean }) => is_same))
  }
})

proves('replays.noCalls', 'every planted change is reported, and no call of it is made', async () => {
  const team = await seedTeam(service)
  const agentId = await recordedRuns(team, usual, 2)
  const setId = await recordedSet(team, agentId)
  const before = await effects(team)
  const findingsWith = async (procedure: string, data: object = {}): Promise<string[]> => {
    const build_id = await draftOf(team, agentId, procedure, { plugins, ...data })
    const replay = await replayed(service, team, setId, { build_id })
    assert.deepEqual([replay.runs_changed, replay.match < 1 || Object.keys(data).length > 0], [2, true], procedure)
    const [first, second] = await reportsOf(team, replay.id)
    const kinds = ({ report }: typeof first) => report.findings.map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(kinds(first), kinds(second))
    return kinds(first)
  }
  const changedUrl = usual.replace('/orders/', '/other/')
  assert.deepEqual(await findingsWith(changedUrl), [
    'unmatched_call',
    'call_not_made',
    'call_not_made',
    'status_differs',
  ])
  assert.ok((await findingsWith(usual.replace(output, call('more', '/more') + output))).includes('unmatched_call'))
  assert.deepEqual(await findingsWith(usual.replace('"run":', '"by":')), ['output_differs'])
  assert.deepEqual(await findingsWith(output), ['call_not_made', 'call_not_made'])
  assert.deepEqual(await findingsWith(usual.replace('0s', '2s')), ['unmatched_call', 'call_not_made'])
  assert.deepEqual(await findingsWith(usual, { approvals: { http_request: 'always' } }), ['approval_added'])
  assert.ok((await findingsWith(usual, { output_schema: { type: 'string' } })).includes('status_differs'))
  assert.deepEqual(await effects(team), before)
})

proves(
  'replays.runbooks',
  'a run and a replay that failed in different ways say so by their sentences, without codes',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, usual, { plugins, output_schema: { type: 'string' } })
    await startRun(team, agentId, { message: { number: 1 } })
    await drainRuns(service)
    const setId = await recordedSet(team, agentId)
    const build_id = await draftOf(team, agentId, usual.replace('/orders/', '/other/'), { plugins })
    const [{ report }] = await reportsOf(team, (await replayed(service, team, setId, { build_id })).id)
    const { recorded, replayed: shown, findings } = report
    assert.notEqual(recorded.error.code, shown.error.code)
    const said = findings.find(({ kind }: { kind: string }) => kind === 'status_differs').message
    assert.equal(
      said,
      `Both failed, but not in the same way. The recorded run: ${recorded.error.message} The replay: ${shown.error.message}`,
    )
    for (const { code } of [recorded.error, shown.error]) assert.ok(!said.includes(code), said)
  },
)

proves(
  'replays.noCalls',
  'the same call twice takes two recordings, and a third time gets the last answer again',
  async () => {
    const team = await seedTeam(service)
    const twice = call('a', '/same') + call('b', '/same') + block('output', '{{ steps.a.status }}')
    const agentId = await recordedRuns(team, twice, 1)
    const setId = await recordedSet(team, agentId)
    assert.equal((await replayed(service, team, setId)).runs_same, 1)
    const third = twice.replace('```output', `${call('c', '/same')}\`\`\`output`)
    const replay = await replayed(service, team, setId, { build_id: await draftOf(team, agentId, third, { plugins }) })
    const [{ report }] = await reportsOf(team, replay.id)
    assert.deepEqual(
      report.findings.map(({ kind }: { kind: string }) => kind),
      ['repeated_call'],
    )
    assert.equal(report.replayed.status, 'completed')
  },
)

proves('replays.runbooks', 'recorded errors and answers of people are given again', async () => {
  const team = await seedTeam(service)
  const asks = block('ask id=who', 'Who shall get it?') + block('output', '{{ steps.who }}')
  const agentId = await seedAgent(team, asks, { plugins })
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  const { id } = (await team.call(`GET /v2/runs/${runId}`)).body.pending_human_request
  const body = { answers: { 'Who shall get it?': 'Ada' } }
  const answered = await team.call(`POST /v2/runs/${runId}/human-requests/${id}/respond`, { body })
  assert.equal(answered.status, 200, answered.text)
  await drainRuns(service)
  assert.equal((await readRun(team, runId)).status, 'completed')
  const failing = await seedAgent(team, block('bash', 'exit 3'), { plugins: ['sandbox'] })
  await startRun(team, failing)
  await drainRuns(service)
  for (const one of [agentId, failing]) {
    const before = await effects(team)
    const replay = await replayed(service, team, await recordedSet(team, one))
    assert.equal(replay.runs_same, 1, JSON.stringify(await reportsOf(team, replay.id), null, 1))
    assert.deepEqual(await effects(team), before)
  }
})
