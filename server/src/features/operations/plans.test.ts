// The plans of the figures on tables of some size: by their indexes, never by reading a large table whole.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { newId } from '../../base/ids.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { seedCases, seedQueue } from '../../../test/kit/cases.ts'
import { callOf, insideTools } from '../../../test/kit/figures.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedRuns } from '../../../test/kit/seedRuns.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp()
const { db } = service.context

/** A team among others: a plan that reads every team's rows would cost them all. */
async function seedFigures(team: TestTeam): Promise<string> {
  const agents = await Promise.all(
    Array.from({ length: 5 }, async () => ({ id: await seeders['agent']!(team, {}), buildId: newId() })),
  )
  const queueId = await seedQueue(team)
  await seedCases(team, queueId, 2000)
  await db.sql`
    update cases set display_status = 'completed', completed_at = now() where queue_id = ${queueId} and hashtext(id::text) % 10 <> 0`
  // as they are between two folds
  await db.sql`
    insert into case_counts (queue_id, display_status, priority, cases)
    select ${queueId}, 'pending', 0, (array[1, -1])[1 + n % 2] from generate_series(1, 2000) n`
  const labelId = newId()
  await db.sql`insert into labels (id, team_id, queue_id, key, value, color_hue) values (${labelId}, ${team.id}, ${queueId}, 'kind', 'a', 1)`
  await db.sql`
    insert into label_counts (label_id, display_status, priority, cases)
    select ${labelId}, 'pending', 0, (array[1, -1])[1 + n % 2] from generate_series(1, 2000) n`
  await seedRuns(db.sql, { teamId: team.id, agents, users: [team.memberId], queues: [queueId], runs: 2000, days: 30 })
  const ids = agents.map(({ id }) => id)
  await db.sql`
    insert into eval_counts (team_id, agent_id, build_id, hour, flag, evaluated, with_issues)
    select ${team.id}, agent, gen_random_uuid(), run_hour(now()) - h, 'all', 1, 0 from unnest(${ids}::uuid[]) as agent, generate_series(1, 400) h`
  await db.sql`
    insert into usage_days (team_id, day, agent_id, model, purpose, cost_usd)
    select ${team.id}, current_date - d, agent, 'a model', 'run', 1 from unnest(${ids}::uuid[]) as agent, generate_series(1, 400) d`
  await db.sql`
    insert into usage_entries (team_id, agent_id, cost_usd) select ${team.id}, ${ids[0]}, 1 from generate_series(1, 2000)`
  const target = await seeders['subscription']!(team, {})
  await db.sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state)
    select gen_random_uuid(), ${team.id}, ${target}, gen_random_uuid(), 'run.completed', now(),
      (array['delivered', 'delivered', 'retrying', 'dead', 'new'])[1 + n % 5] from generate_series(1, 2000) n`
  return ids[0]!
}

const teams = await Promise.all(Array.from({ length: 4 }, () => seedTeam(service)))
const [agentId] = await Promise.all(teams.map(seedFigures))
const [team] = teams
await foldRunCounts(db)
// some changes stay unfolded
await Promise.all(teams.map((one) => seeders['run']!(one, {})))
await db.pool.query('analyze')
const plansOf = await plansOn(db)

const large =
  /Seq Scan on (runs|run_counts|run_count_deltas|cases|case_counts|label_counts|deliveries|eval_counts|usage_days|usage_entries)\b/

const inputs: Record<string, object[]> = {
  operations_runs: [
    ...['status', 'agent', 'hour', 'day'].map((by) => ({ by, last: '30d' })),
    ...['agent', 'hour', 'day'].map((by) => ({ by, agent: agentId })),
  ],
  operations_agents: [{}],
  operations_queues: [{ labels: true }],
  operations_usage: ['day', 'agent', 'model', 'agent_model', 'day_model'].map((by) => ({ by })),
  operations_evaluations: [{ by: 'agent' }, { by: 'day' }, { by: 'day', agent: agentId }],
  operations_deliveries: [{}],
}

suite('the plan of figures', () => {
  for (const tool of insideTools) {
    proves('operations.plans', `${tool.name} reads no large table whole`, async () => {
      for (const input of inputs[tool.name] ?? []) {
        const plans = await plansOf((sql) => tool.apply([callOf(team!.id, input)], sql, service.context))
        assert.ok(plans.length > 0)
        for (const plan of plans) assert.doesNotMatch(plan, large, `${JSON.stringify(input)}\n${plan}`)
      }
    })
  }
})
