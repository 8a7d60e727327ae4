// Figures of runs, usage and evaluations, against rows that were counted by hand.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { foldUsage } from '../../engine/counting/usage.ts'
import { figuresAt } from '../../../test/kit/figures.ts'
import { proves } from '../../../test/kit/proves.ts'
import { insertRun, type RunRow } from '../../../test/kit/seedRuns.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp()
const { db } = service.context
const { ask, read } = figuresAt(service, '2026-07-18T09:30:00.000Z')

interface Agent {
  agent_id: string
  build_id: string
}

async function newAgent(team: TestTeam, name: string): Promise<Agent> {
  const { body } = await team.call('POST /v2/teams/:teamId/agents', { body: { name } })
  return { agent_id: body.agent_id, build_id: body.build_id }
}

const insert = (team: TestTeam, agent: Agent, status: string, created: string, more: Partial<RunRow> = {}) =>
  insertRun(db.sql, { team_id: team.id, ...agent, status, created_at: new Date(created), ...more })

const team = await seedTeam(service)
const other = await seedTeam(service)
const [invoices, mail] = [await newAgent(team, 'Invoices'), await newAgent(team, 'Mail')]
for (const [status, created] of [
  ['completed', '2026-07-18T09:10:00Z'],
  ['completed', '2026-07-18T09:00:00Z'],
  ['failed', '2026-07-18T08:59:59Z'],
  ['running', '2026-07-18T09:20:00Z'],
  ['stopped', '2026-07-17T10:00:00Z'],
] as const)
  await insert(team, invoices, status, created)
await insert(team, invoices, 'waiting', '2026-07-18T09:25:00Z', { waiting_on: { kind: 'human' } })
for (const created of ['2026-07-12T00:00:00Z', '2026-07-12T05:00:00Z', '2026-07-11T23:59:59Z']) {
  await insert(team, mail, 'completed', created)
}
await insert(other, await newAgent(other, 'Invoices'), 'failed', '2026-07-18T09:10:00Z')

/** The same question before and after the changes were folded into the counts. */
async function foldedOrNot(check: () => Promise<void>): Promise<void> {
  await check()
  await foldRunCounts(db)
  await foldUsage(db)
  await check()
}

proves('operations.runs', 'runs are counted by hour, day, agent and status, before and after counts are folded', () =>
  foldedOrNot(async () => {
    const hours = await read(team, 'operations_runs', { by: 'hour' })
    assert.deepEqual(
      [hours.since, hours.until, hours.time_zone],
      ['2026-07-17T10:00:00.000Z', '2026-07-18T10:00:00.000Z', 'UTC'],
    )
    assert.equal(hours.rows.length, 24)
    assert.deepEqual(hours.rows[0], {
      hour: '2026-07-17T10:00:00.000Z',
      runs: 1,
      active: 0,
      completed: 0,
      failed: 0,
      stopped: 1,
    })
    assert.deepEqual(hours.rows[1], {
      hour: '2026-07-17T11:00:00.000Z',
      runs: 0,
      active: 0,
      completed: 0,
      failed: 0,
      stopped: 0,
    })
    assert.deepEqual(hours.rows.slice(-2), [
      { hour: '2026-07-18T08:00:00.000Z', runs: 1, active: 0, completed: 0, failed: 1, stopped: 0 },
      { hour: '2026-07-18T09:00:00.000Z', runs: 4, active: 2, completed: 2, failed: 0, stopped: 0 },
    ])
    assert.deepEqual(hours.totals, { runs: 6, active: 2, completed: 2, failed: 1, stopped: 1, success_rate: 0.6667 })
    assert.deepEqual(hours.before, { runs: 0, active: 0, completed: 0, failed: 0, stopped: 0, success_rate: null })
    const { before } = await read(team, 'operations_runs', { last: '6d' })
    assert.deepEqual([before.runs, before.completed], [3, 3])
    assert.deepEqual(hours.now, { active: 2, waiting_for_person: 1 })

    const days = await read(team, 'operations_runs')
    assert.deepEqual([days.since, days.until], ['2026-07-12T00:00:00.000Z', '2026-07-18T10:00:00.000Z'])
    assert.deepEqual(
      days.rows.map(({ day, runs }: { day: string; runs: number }) => [day, runs]),
      [
        ['2026-07-12', 2],
        ['2026-07-13', 0],
        ['2026-07-14', 0],
        ['2026-07-15', 0],
        ['2026-07-16', 0],
        ['2026-07-17', 1],
        ['2026-07-18', 5],
      ],
    )
    const agents = await read(team, 'operations_runs', { by: 'agent', last: '8d' })
    assert.deepEqual(agents.rows, [
      {
        agent_id: invoices.agent_id,
        agent: 'Invoices',
        runs: 6,
        active: 2,
        completed: 2,
        failed: 1,
        stopped: 1,
        success_rate: 0.6667,
      },
      {
        agent_id: mail.agent_id,
        agent: 'Mail',
        runs: 3,
        active: 0,
        completed: 3,
        failed: 0,
        stopped: 0,
        success_rate: 1,
      },
    ])
    const statuses = await read(team, 'operations_runs', { by: 'status', agent: 'Invoices', last: '1d' })
    assert.deepEqual(statuses.rows, [
      { status: 'pending', runs: 0 },
      { status: 'running', runs: 1 },
      { status: 'waiting', runs: 0 },
      { status: 'completed', runs: 2 },
      { status: 'failed', runs: 1 },
      { status: 'stopped', runs: 0 },
      { status: 'needs_attention', runs: 1 },
    ])
    const part = await read(team, 'operations_runs', {
      by: 'day',
      agent: mail.agent_id,
      since: '2026-07-11',
      until: '2026-07-12T01:00:00Z',
    })
    assert.deepEqual(
      part.rows.map(({ runs }: { runs: number }) => runs),
      [1, 1],
    )
    assert.deepEqual(part.now, { active: 0, waiting_for_person: 0 })
  }),
)

proves(
  'operations.bounded',
  'at most 500 rows come, the latest ones, and the answer says how many were left out',
  async () => {
    const { rows, left_out, totals } = await read(team, 'operations_runs', { by: 'hour', last: '30d' })
    // thirty days up to the current hour
    assert.deepEqual([rows.length, left_out], [500, 29 * 24 + 10 - 500])
    assert.equal(rows.at(-1).hour, '2026-07-18T09:00:00.000Z')
    assert.equal(totals.runs, 9)
  },
)

const add = (owner: TestTeam, agentId: string, day: string, model: string, cost: string, purpose = 'run') => db.sql`
  insert into usage_entries (team_id, agent_id, day, model, purpose, calls, input_tokens, output_tokens, cost_usd)
  values (${owner.id}, ${agentId}, ${day}, ${model}, ${purpose}, 1, 100, 10, ${cost})`

/** The tokens of as many calls. */
const tokens = (calls: number) => ({ calls, input_tokens: calls * 100, output_tokens: calls * 10, tokens: calls * 110 })

proves(
  'operations.usage',
  'usage is added up by day, agent and model, before and after entries are folded',
  async () => {
    await add(team, invoices.agent_id, '2026-07-18', 'large', '0.5')
    await add(team, invoices.agent_id, '2026-07-17', 'small', '0.125')
    await add(team, mail.agent_id, '2026-07-17', 'small', '0.25', 'judge')
    await add(team, mail.agent_id, '2026-06-18', 'small', '9')
    await add(other, mail.agent_id, '2026-07-17', 'small', '7')
    await foldedOrNot(async () => {
      const days = await read(team, 'operations_usage')
      assert.deepEqual(
        [days.rows.length, days.since, days.until],
        [30, '2026-06-19T00:00:00.000Z', '2026-07-19T00:00:00.000Z'],
      )
      assert.deepEqual(days.rows.at(-1), { day: '2026-07-18', runs: 5, active_s: 0, ...tokens(1), cost_usd: 0.5 })
      assert.deepEqual(days.rows.at(-2), { day: '2026-07-17', runs: 1, active_s: 0, ...tokens(2), cost_usd: 0.375 })
      assert.deepEqual(days.totals, { runs: 9, active_s: 0, ...tokens(3), cost_usd: 0.875, cost_per_run: 0.875 / 9 })
      const agents = await read(team, 'operations_usage', { by: 'agent', last: '7d' })
      assert.deepEqual(agents.rows, [
        {
          agent_id: invoices.agent_id,
          agent: 'Invoices',
          runs: 6,
          active_s: 0,
          ...tokens(2),
          cost_usd: 0.625,
          cost_per_run: 0.625 / 6,
        },
        {
          agent_id: mail.agent_id,
          agent: 'Mail',
          runs: 2,
          active_s: 0,
          ...tokens(1),
          cost_usd: 0.25,
          cost_per_run: 0.125,
        },
      ])
      const models = await read(team, 'operations_usage', { by: 'model', last: '7d' })
      assert.deepEqual(models.rows, [
        { model: 'large', ...tokens(1), cost_usd: 0.5 },
        { model: 'small', ...tokens(2), cost_usd: 0.375 },
      ])
      assert.deepEqual([models.totals.cost_usd, models.before.cost_usd], [0.875, 0])
      const series = await read(team, 'operations_usage', { by: 'day_model', last: '2d' })
      assert.deepEqual(
        series.rows.map(({ day, model, cost_usd }: { day: string; model: string; cost_usd: number }) => [
          day,
          model,
          cost_usd,
        ]),
        [
          ['2026-07-17', 'large', 0],
          ['2026-07-17', 'small', 0.375],
          ['2026-07-18', 'large', 0.5],
          ['2026-07-18', 'small', 0],
        ],
      )
      const both = await read(team, 'operations_usage', { by: 'agent_model', agent: 'Invoices' })
      assert.deepEqual(
        both.rows.map(({ agent, model, cost_usd }: { agent: string; model: string; cost_usd: number }) => [
          agent,
          model,
          cost_usd,
        ]),
        [
          ['Invoices', 'large', 0.5],
          ['Invoices', 'small', 0.125],
        ],
      )
    })
  },
)

proves(
  'operations.evaluations',
  'evaluations are added up by agent and day, with the severity of each check that did not pass',
  async () => {
    const count = (
      owner: TestTeam,
      agent: Agent,
      ended: string,
      flag: string,
      evaluated: number,
      withIssues: number,
    ) => db.sql`
    insert into eval_counts (team_id, agent_id, build_id, hour, flag, evaluated, with_issues)
    values (${owner.id}, ${agent.agent_id}, ${agent.build_id}, run_hour(${ended}::timestamptz), ${flag}, ${evaluated}, ${withIssues})`
    await db.sql`
    insert into eval_rubrics (id, team_id, agent_id, build_id, slug, title, description, severity, sort_order)
    values (${newId()}, ${team.id}, ${mail.agent_id}, ${mail.build_id}, 'polite', 'Is polite', 'Says please.', 'low', 1)`
    await count(team, invoices, '2026-07-18T08:00:00Z', 'all', 4, 1)
    await count(team, invoices, '2026-07-18T08:00:00Z', 'all', 1, 0)
    await count(team, invoices, '2026-07-18T08:00:00Z', 'limits_kept', 0, 1)
    await count(team, invoices, '2026-07-18T08:00:00Z', 'ended_by_itself', 0, 1)
    await count(team, mail, '2026-07-12T05:00:00Z', 'all', 2, 2)
    await count(team, mail, '2026-07-12T05:00:00Z', 'custom', 2, 2)
    await count(team, mail, '2026-07-12T05:00:00Z', 'custom__polite', 0, 2)
    await count(team, mail, '2026-05-01T05:00:00Z', 'all', 90, 90)
    await count(other, mail, '2026-07-12T05:00:00Z', 'all', 80, 80)
    const agents = await read(team, 'operations_evaluations')
    assert.deepEqual(agents.rows, [
      {
        agent_id: invoices.agent_id,
        agent: 'Invoices',
        evaluated: 5,
        passed: 4,
        with_issues: 1,
        pass_rate: 0.8,
        critical: 1,
        medium: 1,
        low: 0,
      },
      {
        agent_id: mail.agent_id,
        agent: 'Mail',
        evaluated: 2,
        passed: 0,
        with_issues: 2,
        pass_rate: 0,
        critical: 0,
        medium: 0,
        low: 2,
      },
    ])
    assert.deepEqual(agents.totals, {
      evaluated: 7,
      passed: 4,
      with_issues: 3,
      pass_rate: 0.5714,
      critical: 1,
      medium: 1,
      low: 2,
    })
    assert.deepEqual(agents.checks, [
      { check: 'Is polite', severity: 'low', runs: 2 },
      { check: 'Ended by itself', severity: 'critical', runs: 1 },
      { check: 'Limits were kept', severity: 'medium', runs: 1 },
    ])
    const days = await read(team, 'operations_evaluations', { by: 'day', agent: 'Mail', last: '7d' })
    assert.deepEqual(
      days.rows
        .map(({ day, evaluated, low }: { day: string; evaluated: number; low: number }) => [day, evaluated, low])
        .slice(0, 2),
      [
        ['2026-07-12', 2, 2],
        ['2026-07-13', 0, 0],
      ],
    )
  },
)

proves(
  ['operations.runs', 'operations.usage', 'operations.evaluations'],
  'agents are compared in one row each',
  async () => {
    const { rows, totals, before } = await read(team, 'operations_agents', { last: '8d' })
    const ofRuns = await read(team, 'operations_runs', { by: 'agent', last: '8d' })
    const ofUsage = await read(team, 'operations_usage', { by: 'agent', last: '8d' })
    const ofEvaluations = await read(team, 'operations_evaluations', { by: 'agent', last: '8d' })
    for (const [at, row] of rows.entries()) {
      assert.deepEqual(row, { ...ofUsage.rows[at], ...ofRuns.rows[at], ...ofEvaluations.rows[at] })
    }
    assert.equal(rows.length, 2)
    assert.deepEqual([totals.agents, totals.runs, totals.evaluated, totals.cost_usd], [2, 9, 7, 0.875])
    assert.deepEqual([before.agents, before.runs, before.evaluated], [0, 0, 0])
  },
)

proves(
  ['operations.artifacts'],
  'runs of artifacts are not counted, and what they used is one row without their names',
  async () => {
    const own = await seedTeam(service)
    const hidden = await newAgent(own, 'A private page')
    await db.sql`update agents set is_hidden = true where id = ${hidden.agent_id}`
    await insert(own, hidden, 'completed', '2026-07-18T09:00:00Z', { source: 'artifact' })
    await add(own, hidden.agent_id, '2026-07-18', 'large', '0.5')
    await foldedOrNot(async () => {
      for (const by of ['status', 'agent', 'hour', 'day']) {
        assert.equal((await read(own, 'operations_runs', { by })).totals.runs, 0)
      }
      const usage = await read(own, 'operations_usage', { by: 'agent', last: '1d' })
      const { agent_id, agent, runs, cost_usd } = usage.rows[0]
      assert.deepEqual([agent_id, agent, runs, cost_usd, usage.totals.runs], [null, 'Artifacts', 0, 0.5, 0])
      const agents = await read(own, 'operations_agents')
      assert.deepEqual([agents.rows, agents.totals.cost_usd], [[], 0.5])
    })
    for (const asked of [hidden.agent_id, 'A private page']) {
      assert.match(JSON.stringify(await ask(own, 'operations_runs', { agent: asked })), /There is no agent/)
    }
  },
)
