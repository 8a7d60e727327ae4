// Figures of agents against the runs themselves, and the plan of their one statement.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { insertRun, seedRuns } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { readFigures } from './agentFigures.ts'
import { listAgentFigures } from './listAgentFigures.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)

const dayMs = 86_400_000
/** Noon of a day before today: it stays that day while the test runs. */
const noon = (daysAgo: number) => new Date((Math.floor(Date.now() / dayMs) - daysAgo) * dayMs + dayMs / 2)

const ended = (agentId: string, status: string, daysAgo: number, costUsd: number, seconds: number) =>
  insertRun(db.sql, {
    team_id: team.id,
    agent_id: agentId,
    build_id: newId(),
    status,
    cost_usd: String(costUsd),
    created_at: noon(daysAgo),
    started_at: noon(daysAgo),
    completed_at: new Date(noon(daysAgo).getTime() + seconds * 1000),
  })

const list = async (owner: TestTeam, query = '') => {
  const answer = await owner.call(`GET /v2/teams/:teamId/agent-figures${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

proves(
  'agents.figures',
  'each agent has its last run, its week, its medians, its next start and its draft',
  async () => {
    const [busy, idle] = [await seeders['agent']!(team, {}), await seeders['agent']!(team, {})]
    await ended(busy, 'completed', 8, 90, 900)
    await ended(busy, 'completed', 6, 1, 10)
    await ended(busy, 'completed', 3, 2, 20)
    await ended(busy, 'completed', 3, 6, 60)
    await ended(busy, 'failed', 2, 50, 500)
    const last = await ended(busy, 'stopped', 1, 40, 400)
    const scheduleId = await seeders['schedule']!(team, { agent: busy })
    const { body: revision } = await team.call(`POST /v2/agents/${busy}/revisions`, { body: {} })
    const figuresOf = async (agentId: string) => (await list(team, `?agent_ids=${agentId}`)).agent_figures[0]
    for (const isFolded of [false, true]) {
      if (isFolded) await foldRunCounts(db)
      const figures = await figuresOf(busy)
      assert.deepEqual(
        figures.days.map(({ completed, failed, stopped, active }: Record<string, number>) => [
          completed,
          failed,
          stopped,
          active,
        ]),
        [
          [1, 0, 0, 0],
          [0, 0, 0, 0],
          [0, 0, 0, 0],
          [2, 0, 0, 0],
          [0, 1, 0, 0],
          [0, 0, 1, 0],
          [0, 0, 0, 0],
        ],
      )
      assert.equal(figures.days[6].day, noon(0).toISOString().slice(0, 10))
      assert.deepEqual([figures.median_cost_usd, figures.median_duration_ms], [2, 20_000])
      const { run_id, status, created_at } = figures.last_run
      assert.deepEqual([run_id, status, created_at], [last, 'stopped', noon(1).toISOString()])
    }
    const { body: schedules } = await team.call(`GET /v2/agents/${busy}/schedules`)
    const figures = await figuresOf(busy)
    assert.equal(schedules.schedules[0].id, scheduleId)
    assert.equal(figures.live_build.revision_number, 1)
    assert.deepEqual([figures.next_start_at, figures.has_new_draft], [schedules.schedules[0].next_run_at, false])
    const config = { version: 'v2', data: { input: 'Something else.' } }
    await team.call(`PATCH /v2/revisions/${revision.build_id}`, { body: { config } })
    assert.equal((await figuresOf(busy)).has_new_draft, true)
    const nothing = await figuresOf(idle)
    assert.deepEqual(
      [nothing.last_run, nothing.median_cost_usd, nothing.next_start_at, nothing.has_new_draft],
      [null, null, null, false],
    )
  },
)

proves('agents.figuresPage', 'pages are those of listAgents, and ids of others find nothing', async () => {
  const stranger = await seedTeam(service)
  const foreign = await seeders['agent']!(stranger, {})
  const { body } = await team.call('GET /v2/teams/:teamId/agents?limit=1&offset=1')
  const page = await list(team, '?limit=1&offset=1')
  assert.deepEqual(
    page.agent_figures.map(({ agent_id }: { agent_id: string }) => agent_id),
    body.agents.map(({ id }: { id: string }) => id),
  )
  assert.equal(page.total, body.total)
  assert.equal((await list(team, `?agent_ids=${foreign},nonsense`)).total, 0)
})

proves('agents.figuresPlan', 'one statement reads a page of agents, each from its own range of an index', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => seeders['agent']!(team, {})))
  const agents = ids.map((id) => ({ id, buildId: newId() }))
  await seedRuns(db.sql, { teamId: team.id, agents, users: [newId()], queues: [newId()], runs: 4000, days: 30 })
  await foldRunCounts(db)
  await db.pool.query('analyze')
  const plansOf = await plansOn(db)
  const plans = await plansOf((sql) => readFigures(sql, team.id, ids, new Date()))
  assert.equal(plans.length, 1)
  assert.doesNotMatch(plans[0]!, /Seq Scan on (runs|run_counts|run_count_deltas)\b/)
})

proves(
  'agents.figuresPlan',
  'of 10,000 agents, each with a schedule and a build, a page reads only its own',
  async () => {
    const many = await seedTeam(service)
    await db.sql`
    insert into agents (id, team_id, name, memory_enabled, builds_count)
    select gen_random_uuid(), ${many.id}, 'Agent ' || n, false, 1 from generate_series(1, 10000) n`
    await db.sql`
    insert into schedules (id, team_id, agent_id, user_id, enabled, frequency, timezone, recurring, overlap, catch_up, next_run_at)
    select gen_random_uuid(), team_id, id, ${many.memberId}, true, 'daily', 'UTC', true, 'skip', 'none', now() + random() * interval '1 day'
    from agents where team_id = ${many.id}`
    await db.sql`
    insert into builds (id, team_id, agent_id, revision_number, name, status, config)
    select gen_random_uuid(), team_id, id, 1, 'Build', 'live', '{}' from agents where team_id = ${many.id}`
    await db.pool.query('vacuum analyze')
    const plansOf = await plansOn(db)
    const query = { limit: 100, offset: 0 }
    const plans = await plansOf((sql) =>
      handled(listAgentFigures, { sql, team: many, context: service.context, query }),
    )
    assert.equal(plans.length, 3)
    const [page, total, figures] = plans as [string, string, string]
    for (const plan of [page, total]) assert.match(plan, /Index Only Scan (Backward )?using agents_shown on agents/)
    for (const [, condition] of figures.matchAll(/ on (?:schedules|builds|agents|runs)\b.*\n\s+(.*)/g)) {
      assert.match(condition!, /^(Index|Recheck) Cond: .*(agent_id = |id = ANY)/, figures)
    }
    assert.doesNotMatch(figures, /Seq Scan on (agents|schedules|builds|runs|run_counts)\b/)
  },
)
