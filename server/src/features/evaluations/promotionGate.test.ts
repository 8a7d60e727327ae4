// The promotion gate: builds that score too low, or have not run enough, are refused unless somebody says why not.
import assert from 'node:assert/strict'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { drainEvaluations } from './evaluator.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const good = '```output\ndone\n```\n'
/** It fails: one of five checks does not pass. */
const failing = '```bash\nexit 1\n```\n'

const setGate = (team: TestTeam, agentId: string, body: object) =>
  team.call(`PUT /v2/agents/${agentId}/promotion-gate`, { body })

async function draftOf(team: TestTeam, agentId: string, input = good): Promise<string> {
  const body = { config: { version: 'v2', data: { input } } }
  return (await team.call(`POST /v2/agents/${agentId}/revisions`, { body })).body.build_id
}

const promote = (team: TestTeam, buildId: string, body: object = {}) =>
  team.call(`POST /v2/revisions/${buildId}/promote`, { body })

async function runBuild(team: TestTeam, agentId: string, buildId: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await startRun(team, agentId, { build_id: buildId })
  await drainRuns(service)
  await drainEvaluations(service.context)
}

proves(
  'evals.gate',
  'a gate is set, read, changed and taken away, and an agent without one promotes as it likes',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, good)
    const empty = { promotion_gate: null, agent_id: agentId, forced_promotions: [] }
    assert.deepEqual((await team.call(`GET /v2/agents/${agentId}/promotion-gate`)).body, empty)
    assert.equal((await promote(team, await draftOf(team, agentId))).status, 200)
    const { body } = await setGate(team, agentId, { min_score: 0.9 })
    assert.deepEqual([body.promotion_gate.min_score, body.promotion_gate.last_runs], [0.9, 10])
    assert.equal(body.promotion_gate.updated_by, team.memberId)
    await setGate(team, agentId, { min_score: 0.5, last_runs: 3 })
    const read = (await team.call(`GET /v2/agents/${agentId}/promotion-gate`)).body.promotion_gate
    assert.deepEqual([read.min_score, read.last_runs], [0.5, 3])
    assert.deepEqual((await setGate(team, agentId, { min_score: null })).body, empty)
    for (const wrong of [{}, { min_score: 1.1 }, { min_score: 0.5, last_runs: 0 }])
      assert.equal((await setGate(team, agentId, wrong)).status, 400)
  },
)

proves('evals.gate', 'a build that never ran, or not often enough, is refused with what to do', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, good)
  await setGate(team, agentId, { min_score: 0.9, last_runs: 2 })
  const buildId = await draftOf(team, agentId)
  const never = await promote(team, buildId)
  assert.deepEqual([never.status, never.body.error], [409, 'gate_not_met'])
  assert.match(
    never.body.message,
    /at least 0\.9 over the last 2 evaluated runs\. This build has none\. Start 2 more with "build_id"/,
  )
  await runBuild(team, agentId, buildId, 1)
  assert.match((await promote(team, buildId)).body.message, /This build has 1, with a score of 1\. Start 1 more/)
  await runBuild(team, agentId, buildId, 1)
  assert.equal((await promote(team, buildId)).status, 200)
})

proves('evals.gate', 'only the latest runs of the very build count', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, good)
  await setGate(team, agentId, { min_score: 0.9, last_runs: 2 })
  const buildId = await draftOf(team, agentId, failing)
  await runBuild(team, agentId, buildId, 2)
  const refused = await promote(team, buildId)
  assert.match(refused.body.message, /Those of this build score 0\.8\b/, JSON.stringify(refused.body))
  const { body } = await team.call(`GET /v2/agents/${agentId}/revisions/${buildId}`)
  assert.equal(body.build.status, 'draft', 'a refusal changes nothing')
  await team.call(`PATCH /v2/revisions/${buildId}`, { body: { config: { version: 'v2', data: { input: good } } } })
  await runBuild(team, agentId, buildId, 2)
  assert.equal((await promote(team, buildId)).status, 200)
})

/** Whether the preview says that it will become live, and whether it does. */
async function previewed(team: TestTeam, agentId: string, buildId: string) {
  const { body, text } = await team.call(`GET /v2/agents/${agentId}/revisions/${buildId}/promotion-preview`)
  const answer = await promote(team, buildId)
  const { refusal, gate } = body.preview
  if (answer.status === 200) assert.equal(refusal, null, text)
  else assert.deepEqual(refusal, { code: answer.body.error, message: answer.body.message })
  return { status: answer.status, gate }
}

proves('promotions.preview', 'the preview says of the gate what the promotion then does', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, good)
  await setGate(team, agentId, { min_score: 0.9, last_runs: 2 })
  const buildId = await draftOf(team, agentId, failing)
  const gate = { min_score: 0.9, last_runs: 2 }
  assert.deepEqual(await previewed(team, agentId, buildId), {
    status: 409,
    gate: { ...gate, score: null, evaluated_runs: 0, is_open: false },
  })
  await runBuild(team, agentId, buildId, 2)
  assert.deepEqual(await previewed(team, agentId, buildId), {
    status: 409,
    gate: { ...gate, score: 0.8, evaluated_runs: 2, is_open: false },
  })
  await team.call(`PATCH /v2/revisions/${buildId}`, { body: { config: { version: 'v2', data: { input: good } } } })
  await runBuild(team, agentId, buildId, 2)
  assert.deepEqual(await previewed(team, agentId, buildId), {
    status: 200,
    gate: { ...gate, score: 1, evaluated_runs: 2, is_open: true },
  })
})

proves('evals.buildScores', 'each build has the score of its latest runs, in the order of the builds', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, good)
  const bad = await draftOf(team, agentId, failing)
  const unused = await draftOf(team, agentId)
  await runBuild(team, agentId, bad, 2)
  const scores = async (query = '') => (await team.call(`GET /v2/agents/${agentId}/build-scores${query}`)).body
  const { build_scores, total } = await scores()
  assert.equal(total, 3)
  assert.deepEqual(
    build_scores
      .slice(0, 2)
      .map((one: Record<string, unknown>) => [one['build_id'], one['score'], one['evaluated_runs']]),
    [
      [unused, null, 0],
      [bad, 0.8, 2],
    ],
  )
  await setGate(team, agentId, { min_score: 0.5, last_runs: 1 })
  assert.equal((await scores('?limit=1&offset=1')).build_scores[0].evaluated_runs, 1)
})

proves('evals.gateForced', 'a reason opens the gate, and is kept with the figures of that moment', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, good)
  await setGate(team, agentId, { min_score: 1, last_runs: 5 })
  const buildId = await draftOf(team, agentId)
  const answer = await promote(team, buildId, { force_reason: 'The live one loses mail.' })
  assert.deepEqual([answer.status, answer.body.build.status], [200, 'live'])
  const [forced] = (await team.call(`GET /v2/agents/${agentId}/promotion-gate`)).body.forced_promotions
  const { id: _id, created_at: _at, ...kept } = forced
  assert.deepEqual(kept, {
    build_id: buildId,
    reason: 'The live one loses mail.',
    score: null,
    evaluated_runs: 0,
    min_score: 1,
    last_runs: 5,
    forced_by: team.memberId,
  })
  const [audited] = await team.sql<{ rows: number }>`
    select count(*) as rows from audit_log where team_id = ${team.id} and operation = 'promoteRevision' and status = 200`
  assert.equal(audited!.rows, 1)
})

proves('evals.tenancy', 'the gate of another team’s agent is not there', async () => {
  const [team, stranger] = [await seedTeam(service), await seedTeam(service)]
  const agentId = await seedAgent(team, good)
  assert.equal((await setGate(stranger, agentId, { min_score: 0 })).status, 404)
  assert.equal((await stranger.call(`GET /v2/agents/${agentId}/promotion-gate`)).status, 404)
})
