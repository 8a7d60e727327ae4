// The overview of a team: failures, next starts, deliveries and connections, each as far as the credential reaches.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { insertRun, seedRuns } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { issueApiKey } from '../credentials/apiKey.ts'
import { getOverview } from './getOverview.ts'
import { readFailures } from './failures.ts'

const service = await testApp()
const { db } = service.context

const idsOf = (rows: Record<string, string>[], name: string) => rows.map((row) => row[name])

const fail = (team: TestTeam, agentId: string, code: string, hoursAgo: number, source = 'api') =>
  insertRun(db.sql, {
    team_id: team.id,
    agent_id: agentId,
    build_id: newId(),
    status: 'failed',
    source,
    error: { code, message: 'It failed.', step: null },
    completed_at: new Date(Date.now() - hoursAgo * 3_600_000),
    created_at: new Date(Date.now() - 48 * 3_600_000),
  })

const read = async (team: TestTeam, key = team.key) => {
  const answer = await team.call('GET /v2/teams/:teamId/overview', { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

proves('overview.get', 'what failed in 24 hours is added up by agent and code, without runs of artifacts', async () => {
  const [team, other] = [await seedTeam(service), await seedTeam(service)]
  const [one, two] = [await seeders['agent']!(team, {}), await seeders['agent']!(team, {})]
  await fail(team, one, 'limit_reached', 3)
  const newest = await fail(team, one, 'limit_reached', 1)
  await fail(team, one, 'tool_failed', 2)
  await fail(team, two, 'limit_reached', 4)
  await fail(team, two, 'limit_reached', 25)
  await fail(team, two, 'limit_reached', 1, 'artifact')
  await fail(other, one, 'limit_reached', 1)
  const { failures, active, waiting_for_person } = await read(team)
  const rows = failures.rows.map((row: Record<string, unknown>) => [row['agent_id'], row['code'], row['runs']])
  assert.deepEqual(rows, [
    [one, 'limit_reached', 2],
    [one, 'tool_failed', 1],
    [two, 'limit_reached', 1],
  ])
  assert.deepEqual([failures.rows[0].last_run_id, failures.is_cut], [newest, false])
  assert.match(failures.rows[0].agent_name, /^Agent /)
  assert.deepEqual([active, waiting_for_person], [0, 0])
})

proves('overview.get', 'the next starts, delivery targets with trouble and broken connections are listed', async () => {
  const team = await seedTeam(service)
  const agentId = await seeders['agent']!(team, {})
  const schedules = [
    await seeders['schedule']!(team, { agent: agentId }),
    await seeders['schedule']!(team, { agent: agentId }),
  ]
  await db.sql`update schedules set next_run_at = now() + interval '1 minute' where id = ${schedules[1]}`
  const off = await seeders['schedule']!(team, { agent: agentId })
  await team.call(`PATCH /v2/agents/${agentId}/schedules/${off}`, { body: { enabled: false } })
  await seeders['delivery']!(team, {})
  const broken = await seeders['connection']!(team, {})
  await seeders['connection']!(team, {})
  await db.sql`
    update connections set status = 'action_required', broken_at = now(), broken_reason = 'The refresh was refused.' where id = ${broken}`
  const { next_starts, delivery_targets, connections } = await read(team)
  assert.deepEqual(idsOf(next_starts, 'schedule_id'), schedules.toReversed())
  assert.equal(next_starts[0].agent_id, agentId)
  assert.deepEqual(idsOf(connections, 'connection_id'), [broken])
  assert.equal(connections[0].broken_reason, 'The refresh was refused.')
  const { target, kind, dead } = delivery_targets[0]
  assert.deepEqual([target, kind, dead, delivery_targets.length], ['hooks.example.com', 'subscription', 1, 1])
})

proves('overview.scopes', 'a list that the credential may not read is null', async () => {
  const team = await seedTeam(service)
  const { secret } = await issueApiKey(db.sql, {
    teamId: team.id,
    memberId: team.memberId,
    name: 'narrow',
    scopes: ['runs:read', 'agents:read'],
  })
  const { next_starts, delivery_targets, connections } = await read(team, secret)
  assert.deepEqual([next_starts, delivery_targets, connections], [[], null, null])
})

proves('overview.plans', 'failures are read from their own index', async () => {
  const team = await seedTeam(service)
  const agents = [{ id: await seeders['agent']!(team, {}), buildId: newId() }]
  await seedRuns(db.sql, { teamId: team.id, agents, users: [newId()], queues: [newId()], runs: 4000, days: 30 })
  await db.pool.query('analyze')
  const plansOf = await plansOn(db)
  const [plan] = await plansOf((sql) => readFailures(sql, team.id, new Date(Date.now() - 86_400_000)))
  assert.match(plan!, /runs_failed/)
  assert.doesNotMatch(plan!, /Seq Scan on runs\b/)
})

proves('overview.plans', 'of many schedules, the next starts are read in their order', async () => {
  const teams = await Promise.all(Array.from({ length: 10 }, () => seedTeam(service)))
  for (const { id, memberId } of teams) {
    await db.sql`
      with made as (
        insert into agents (id, team_id, name, memory_enabled, builds_count)
        select gen_random_uuid(), ${id}, 'Agent ' || n, false, 1 from generate_series(1, 500) n
        returning id, team_id
      )
      insert into schedules (id, team_id, agent_id, user_id, enabled, frequency, timezone, recurring, overlap, catch_up, next_run_at)
      select gen_random_uuid(), team_id, id, ${memberId}, true, 'daily', 'UTC', true, 'skip', 'none', now() + random() * interval '1 day'
      from made`
  }
  const team = teams[0]!
  await db.pool.query('analyze')
  const plansOf = await plansOn(db)
  const plans = await plansOf((sql) => handled(getOverview, { sql, team, context: service.context }))
  const starts = plans.filter((plan) => plan.includes('on schedules'))
  assert.equal(starts.length, 1)
  assert.match(starts[0]!, /Index Scan using schedules_next/)
  assert.doesNotMatch(starts[0]!, /Sort Key|Seq Scan/)
})
