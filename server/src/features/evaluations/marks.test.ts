// What people and screens make of evaluations: the worst runs, marks of members, and how far the two agree.
import assert from 'node:assert/strict'
import { seedColleague } from '../../../test/kit/cases.ts'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedRuns } from '../../../test/kit/seedRuns.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { drainEvaluations } from './evaluator.ts'
import { getMarkAgreement } from './getMarkAgreement.ts'
import { listEvaluatedRuns } from './listEvaluatedRuns.ts'

const service = await testApp()
const { db } = service.context

/** It completes, fails, or fails after it printed a secret, as the message says. */
const procedure = [
  '```tool name=case_complete if="message.way != \'well\'"\n{}\n```',
  '```output\n{{ message.said | default("done") }}\n```',
].join('\n\n')

async function ended(team: TestTeam, agentId: string, ...messages: object[]): Promise<string[]> {
  const runs: string[] = []
  for (const message of messages) {
    runs.push(await startRun(team, agentId, { message }))
    await drainRuns(service)
  }
  await drainEvaluations(service.context)
  return runs
}

async function read(team: TestTeam, path: string) {
  const { status, body, text } = await team.call(`GET ${path}`)
  assert.equal(status, 200, text)
  return body
}

const mark = (by: TestTeam, runId: string, verdict: string, note?: string) =>
  by.call(`PUT /v2/runs/${runId}/mark`, { body: { verdict, ...(note !== undefined && { note }) } })

proves('evals.worst', 'evaluated runs are listed the worst first, and narrowed by check and build', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const [well, badly] = await ended(team, agentId, { way: 'well' }, { way: 'badly' })
  const path = `/v2/agents/${agentId}/evaluated-runs`
  const all = await read(team, path)
  assert.deepEqual(
    all.evaluated_runs.map(({ run_id }: { run_id: string }) => run_id),
    [badly, well],
  )
  const [worst, best] = all.evaluated_runs
  assert.ok(worst.score < best.score && best.score === 1, JSON.stringify(all))
  assert.deepEqual(best.failed, [])
  const { flag, label, severity } = worst.failed.find((one: { flag: string }) => one.flag === 'ended_by_itself')
  assert.deepEqual([flag, typeof label, severity], ['ended_by_itself', 'string', 'critical'])
  assert.equal((await read(team, `${path}?flag=ended_by_itself`)).total, 1)
  assert.equal((await read(team, `${path}?flag=no_secret_printed`)).total, 0)
  assert.equal((await read(team, `${path}?build_id=${worst.build_id}`)).total, 2)
  assert.equal((await read(team, `${path}?build_id=${newId()}`)).total, 0)
})

proves(
  'evals.marks',
  'a member has one mark for a run, and agreement says where people and checks differ',
  async () => {
    const team = await seedTeam(service)
    const colleague = await seedColleague(team, 'Colleague', ['*'])
    const agentId = await seedAgent(team, procedure)
    const [well, badly] = await ended(team, agentId, { way: 'well' }, { way: 'badly' })
    assert.ok(well && badly)
    const agreement = () => read(team, `/v2/agents/${agentId}/mark-agreement`)
    assert.equal((await agreement()).agreement, null)
    await mark(team, well, 'bad')
    assert.equal((await mark(team, well, 'good')).body.mark.verdict, 'good')
    await mark(colleague, well, 'bad', 'It refunded the wrong order.')
    await mark(team, badly, 'bad')
    const found = await agreement()
    const totals = [found.good_passed, found.good_with_issues, found.bad_passed, found.bad_with_issues]
    assert.deepEqual([found.agreement, totals], [0.6667, [1, 0, 1, 1]])
    assert.deepEqual(
      found.disagreements.map((one: { run_id: string; note: string }) => [one.run_id, one.note]),
      [[well, 'It refunded the wrong order.']],
    )
    const listed = await read(team, `/v2/agents/${agentId}/evaluated-runs`)
    const { marked_good, marked_bad, own_mark, mark_notes } = listed.evaluated_runs[1]
    assert.deepEqual([marked_good, marked_bad, own_mark], [1, 1, 'good'])
    const written = { member_id: colleague.memberId, verdict: 'bad', note: 'It refunded the wrong order.' }
    assert.deepEqual(mark_notes, [written])
    assert.deepEqual(listed.evaluated_runs[0].mark_notes, [])
    assert.equal((await colleague.call(`DELETE /v2/runs/${well}/mark`)).status, 204)
    assert.equal((await agreement()).agreement, 1)
    assert.equal((await read(team, `/v2/runs/${well}/marks`)).marks.length, 1)
    assert.equal((await team.call(`DELETE /v2/runs/${well}`)).status, 200)
    await service.drain()
    assert.deepEqual(await team.sql`select * from run_marks where run_id = ${well}`, [])
  },
)

proves('evals.agents', 'the evaluations of all agents stand side by side', async () => {
  const team = await seedTeam(service)
  const [one, other] = [await seedAgent(team, procedure), await seedAgent(team, procedure)]
  await ended(team, one, { way: 'well' }, { way: 'badly' })
  await ended(team, other, { way: 'well' })
  const { agent_scores } = await read(team, '/v2/teams/:teamId/agent-scores')
  assert.deepEqual(
    agent_scores.map((row: Record<string, unknown>) => [row['agent_id'], row['evaluated'], row['pass_rate']]),
    [
      [one, 2, 0.5],
      [other, 1, 1],
    ],
  )
})

proves('evals.worst', 'lists of evaluated runs and marks read no large table whole', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const builds = [newId(), newId()]
  const agents = [agentId, newId(), newId(), newId()].map((id, nth) => ({ id, buildId: builds[nth % 2]! }))
  await seedRuns(db.sql, {
    teamId: team.id,
    agents,
    users: [team.memberId],
    queues: [newId()],
    runs: 10_000,
    days: 30,
  })
  await db.sql`
    insert into evaluations (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at, score, counts)
    select new_id(), team_id, agent_id, build_id, id, 'run_end', 'ready', created_at, 0.5, true from runs where team_id = ${team.id}`
  await db.sql`
    insert into run_marks (run_id, member_id, team_id, agent_id, verdict)
    select run_id, ${team.memberId}, team_id, agent_id, 'bad' from evaluations where team_id = ${team.id}`
  await db.pool.query('analyze')
  const plansOf = await plansOn(db)
  const found = { agent: { id: agentId } }
  const page = { limit: 20, offset: 0 }
  const reads = [
    [listEvaluatedRuns, page],
    [listEvaluatedRuns, { ...page, flag: 'limits_kept' }],
    [listEvaluatedRuns, { ...page, build_id: builds[0] }],
    [getMarkAgreement, {}],
  ] as const
  for (const [operation, query] of reads) {
    const plans = await plansOf((sql) => handled(operation, { sql, team, context: service.context, query, found }))
    assert.ok(plans.length >= 2)
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on (evaluations|run_marks|runs)\b/, plan)
  }
})
