// Runs of artifacts in the lists of runs: nowhere unless asked for, exact when asked for, and counted as used like any run.
import assert from 'node:assert/strict'
import { configOf, seedArtifact, startArtifactRun } from '../../../test/kit/artifactRuns.ts'
import { figuresAt } from '../../../test/kit/figures.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { engineOf } from '../../engine/engine.ts'
import { drainEvaluations } from '../evaluations/evaluator.ts'

const service = await testApp()
const { db } = service.context
const done = '```output\ndone\n```\n'
const asks = '```approve\nShow it?\n```\n'

async function list(team: TestTeam, query = ''): Promise<{ ids: string[]; total: number }> {
  const { status, body, text } = await team.call(`GET /v2/teams/:teamId/runs?${query}`)
  assert.equal(status, 200, text)
  return { ids: body.data.map(({ id }: { id: string }) => id), total: body.total }
}

/** Twice: while the deltas are not folded yet, and from the folded counts. */
async function unfoldedAndFolded(check: () => Promise<void>): Promise<void> {
  await check()
  await foldRunCounts(db)
  await check()
}

proves('runs.listArtifacts', 'no list, total or search has runs of artifacts unless it asks for them', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, done)
  const shown = await startRun(team, agentId, { message: 'Count the invoices' })
  const artifact = await seedArtifact(service, team)
  const hidden = await startArtifactRun(service, team, artifact, { title: 'Invoices', message: 'Count the invoices' })
  const waits = await seedArtifact(service, team, { config: configOf(asks) })
  const waiting = await startArtifactRun(service, team, waits)
  await drainRuns(service)
  const today = new Date(Date.now() - 60_000).toISOString()
  const hour = new Date(Date.now() - 7_200_000).toISOString()
  const later = new Date(Date.now() + 7_200_000).toISOString()
  const times = ['', `since=${today}`, `since=${hour}&until=${later}`, `until=${later}`]
  const sorts = ['', 'sort_by=completed_at', 'sort_by=run_number', 'sort_order=asc']
  const own = [
    '',
    'status=completed',
    `user_id=${team.memberId}`,
    'search=invoices',
    `agent_id=${agentId}`,
    'source=api',
    'has_issues=false',
  ]
  const none = [
    'status=waiting',
    'status=needs_attention',
    `agent_id=${artifact.agentId}`,
    'search=page',
    'has_issues=true',
  ]
  await unfoldedAndFolded(async () => {
    for (const time of times) {
      for (const sort of sorts) {
        for (const query of own) {
          assert.deepEqual(
            await list(team, [query, time, sort].join('&')),
            { ids: [shown], total: 1 },
            query + time + sort,
          )
        }
        for (const query of none) {
          assert.deepEqual(await list(team, [query, time, sort].join('&')), { ids: [], total: 0 }, query + time + sort)
        }
      }
    }
  })
  const asked: [query: string, ids: string[]][] = [
    ['', [waiting, hidden]],
    ['sort_order=asc', [hidden, waiting]],
    ['sort_by=run_number', [waiting, hidden]],
    ['sort_by=completed_at&sort_order=asc', [hidden, waiting]],
    ['limit=1&offset=1', [hidden]],
    ['status=completed', [hidden]],
    ['status=waiting', [waiting]],
    [`agent_id=${artifact.agentId}`, [hidden]],
    [`user_id=${team.memberId}`, [waiting, hidden]],
    [`since=${today}`, [waiting, hidden]],
    [`until=${hour}`, []],
    ['search=invoices', [hidden]],
    ['search=invo*&sort_by=run_number', [hidden]],
    ['search=nothing', []],
    ['has_issues=true', []],
  ]
  for (const [query, ids] of asked) {
    const total = query.startsWith('limit') ? 2 : ids.length
    assert.deepEqual(await list(team, `source=artifact&${query}`), { ids, total }, query)
  }
  assert.deepEqual(await list(team, 'source=artifact&count_only=true'), { ids: [], total: 2 })
})

proves('runs.listArtifacts', 'figures of a team count its own agents, and do not name an artifact', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, done)
  await startRun(team, agentId)
  const artifact = await seedArtifact(service, team)
  await startArtifactRun(service, team, artifact)
  await drainRuns(service)
  const { ask, read } = figuresAt(service, new Date().toISOString())
  await unfoldedAndFolded(async () => {
    const runs = await read(team, 'operations_runs', { by: 'agent' })
    assert.deepEqual([runs.totals.runs, runs.rows.length, runs.rows[0].agent_id], [1, 1, agentId])
    const { rows } = await read(team, 'operations_usage', { by: 'agent' })
    const names = rows.map(({ agent }: { agent: string }) => agent)
    assert.deepEqual(names.toSorted(), ['Artifacts', 'Tested'])
  })
  for (const agent of [artifact.agentId, 'Behind a page']) {
    assert.match(JSON.stringify(await ask(team, 'operations_runs', { agent })), /There is no agent/)
  }
})

proves('runs.listArtifacts', 'a deleted run of an artifact leaves the totals as they are', async () => {
  const team = await seedTeam(service)
  const kept = await startRun(team, await seedAgent(team, done))
  const artifact = await seedArtifact(service, team)
  const gone = await startArtifactRun(service, team, artifact)
  await drainRuns(service)
  assert.equal((await team.call(`DELETE /v2/runs/${gone}`)).status, 200)
  await unfoldedAndFolded(async () => assert.deepEqual(await list(team), { ids: [kept], total: 1 }))
  assert.deepEqual(await list(team, 'source=artifact'), { ids: [], total: 0 })
  const active = await startArtifactRun(service, team, await seedArtifact(service, team, { config: configOf(asks) }))
  await drainRuns(service)
  const refused = await team.call(`DELETE /v2/runs/${active}`)
  assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
})

proves('runs.ofArtifacts', 'they are counted in the usage of the team, before and after the fold', async () => {
  const team = await seedTeam(service)
  await startRun(team, await seedAgent(team, done))
  const artifact = await seedArtifact(service, team)
  await startArtifactRun(service, team, artifact)
  await drainRuns(service)
  await unfoldedAndFolded(async () => {
    const { body } = await team.call('GET /v2/teams/:teamId/billing/usage')
    assert.deepEqual([body.usage.runs.total, body.usage.runs.completed], [2, 2])
    const { body: limits } = await team.call('GET /v2/teams/:teamId/billing/entitlements')
    const monthly = limits.entitlements.find(({ key }: { key: string }) => key === 'monthly_runs')
    assert.equal(monthly.used, 2)
  })
})

proves(
  'runs.ofArtifacts',
  'they are not evaluated, retried or posted to: the artifact has operations for that',
  async () => {
    const team = await seedTeam(service)
    const artifact = await seedArtifact(service, team)
    const runId = await startArtifactRun(service, team, artifact)
    await drainRuns(service)
    assert.deepEqual(await db.sql`select run_id from runs_to_evaluate where run_id = ${runId}`, [])
    await drainEvaluations(service.context)
    assert.deepEqual(await db.sql`select id from evaluations where run_id = ${runId}`, [])
    const refused: [route: string, body: object, says: RegExp][] = [
      [`POST /v2/runs/${runId}/retry`, {}, /artifacts\/\{artifactId\}\/refresh/],
      [`POST /v2/runs/${runId}/messages`, { message: 'More.' }, /artifacts\/\{artifactId\}\/messages/],
    ]
    for (const [route, body, says] of refused) {
      const answer = await team.call(route, { body })
      assert.deepEqual([answer.status, answer.body.error], [409, 'conflict'], answer.text)
      assert.match(answer.body.message, says)
    }
    const evaluate = await team.call(`POST /v2/agent/${artifact.agentId}/runs/${runId}/evaluation`)
    assert.equal(evaluate.status, 404, 'its agent is hidden')
  },
)

proves(
  'runs.ofArtifacts',
  'an agent that is not hidden has no run of an artifact, and a hidden one no other',
  async () => {
    const team = await seedTeam(service)
    const shown = await seedAgent(team, done)
    const builds = await db.sql<{ id: string }>`select id from builds where agent_id = ${shown}`
    const ofShown = { agentId: shown, buildIds: builds.map(({ id }) => id) }
    await assert.rejects(startArtifactRun(service, team, ofShown), /no run/)
    const { agentId, buildIds } = await seedArtifact(service, team)
    const engine = engineOf(service.context)
    const [build] = buildIds as [string]
    assert.equal(await engine.startTargets.find(db.sql, team.id, agentId, build, true), undefined)
  },
)
