// Why a queue moves or not, and how old its open cases are.
import assert from 'node:assert/strict'
import { seedCases, seedQueue, seedWorker } from '../../../../test/kit/cases.ts'
import { setRules } from '../../../../test/kit/guardrails.ts'
import { handled, plansOn } from '../../../../test/kit/plans.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { seedTeam, seeders, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { setEntitlement } from '../../../engine/counting/setEntitlement.ts'
import { getCaseAges } from '../lists/getCaseAges.ts'
import { dispatchQueue } from './dispatch.ts'

const service = await testApp()

async function whyOf(team: TestTeam, queueId: string) {
  const { body, status, text } = await team.call(`GET /v2/queues/${queueId}/why`)
  assert.equal(status, 200, text)
  return { ...body, codes: body.reasons.map(({ code }: { code: string }) => code) }
}

proves('queues.why', 'a queue without a trigger, a paused one and one without a live build say so', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  await seedCases(team, queueId, 3)
  const none = await whyOf(team, queueId)
  assert.deepEqual([none.is_moving, none.codes, none.facts.waiting], [false, ['no_trigger'], 3])
  const agentId = await seedWorker(team, queueId)
  const ready = await whyOf(team, queueId)
  assert.deepEqual([ready.is_moving, ready.codes, ready.facts.agents[0].state], [true, [], 'free'])
  await team.sql`update case_triggers set enabled = false where agent_id = ${agentId} and team_id = ${team.id}`
  assert.deepEqual((await whyOf(team, queueId)).codes, ['paused'])
  await team.sql`update case_triggers set enabled = true where agent_id = ${agentId} and team_id = ${team.id}`
  await team.sql`update builds set status = 'historic' where agent_id = ${agentId}`
  assert.deepEqual((await whyOf(team, queueId)).codes, ['no_live_build'])
})

proves('queues.why', 'what is full is named: the trigger, the queue, and a monthly limit', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team, 2)
  await seedCases(team, queueId, 3)
  await seedWorker(team, queueId, 1)
  assert.equal(await dispatchQueue(service.context, queueId), 1)
  const full = await whyOf(team, queueId)
  assert.deepEqual([full.is_moving, full.codes], [false, ['agents_full']])
  assert.deepEqual([full.facts.in_progress, full.facts.at_once, full.facts.waiting], [1, 2, 2])
  const [free] = await team.sql<{ id: string }>`
    select id from cases where queue_id = ${queueId} and team_id = ${team.id} and display_status = 'pending' limit 1`
  await team.call(`POST /v2/cases/${free!.id}/claim`)
  const queueFull = await whyOf(team, queueId)
  assert.deepEqual([queueFull.codes, queueFull.facts.held_by_members], [['queue_full'], 1])
  await setEntitlement(team.sql, team.id, 'monthly_runs', '1')
  assert.deepEqual((await whyOf(team, queueId)).codes, ['limit_reached', 'queue_full'])
})

proves('queues.why', 'a connection that runs of its cases wait for is named', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team, 5)
  await seedCases(team, queueId, 2)
  await seedWorker(team, queueId)
  assert.equal(await dispatchQueue(service.context, queueId), 2)
  const connectionId = await seeders['connection']!(team, {})
  const wait = JSON.stringify({ kind: 'connection', detail: { connection_id: connectionId } })
  await team.sql`update runs set status = 'running', started_at = now() where team_id = ${team.id}`
  await team.sql`update runs set status = 'waiting', waiting_on = ${wait}::jsonb where team_id = ${team.id}`
  const { codes, facts, is_moving } = await whyOf(team, queueId)
  assert.deepEqual([is_moving, codes, facts.waits[0].connection_id], [true, ['connection'], connectionId])
  assert.equal(facts.waits[0].runs, 2)
})

proves(
  'guardrails.why',
  'guardrails that let no more runs start today are named, with the end of the day',
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team, 5)
    await seedCases(team, queueId, 2)
    await seedWorker(team, queueId)
    const version = await setRules([service], team, { runs_per_day: 1 })
    assert.equal(await dispatchQueue(service.context, queueId), 1)
    const { codes, reasons, facts, is_moving } = await whyOf(team, queueId)
    assert.deepEqual([is_moving, codes], [false, ['guardrail']])
    assert.deepEqual([facts.guardrails_reached[0].rule, facts.guardrails_reached[0].version], ['runs_per_day', version])
    assert.match(facts.guardrails_reached[0].until, /T00:00:00\.000Z$/)
    assert.match(reasons[0].says, /version 1: runs_per_day.*no more runs start today/)
    // a change of the rules counts at once, whatever was refused a moment ago
    assert.equal(await dispatchQueue(service.context, queueId), 0)
    await setRules([service], team, { runs_per_day: 2 })
    assert.equal(await dispatchQueue(service.context, queueId), 1)
    assert.deepEqual((await whyOf(team, queueId)).facts.guardrails_reached.length, 1)
  },
)

proves('guardrails.why', 'runs of cases that a guardrail lets wait are counted by its rule', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team, 5)
  await seedCases(team, queueId, 2)
  await seedWorker(team, queueId)
  assert.equal(await dispatchQueue(service.context, queueId), 2)
  const wait = JSON.stringify({ kind: 'time', detail: { reason: 'guardrail', rule: 'quiet_hours', version: 3 } })
  await team.sql`update runs set status = 'running', started_at = now() where team_id = ${team.id}`
  await team.sql`update runs set status = 'waiting', waiting_on = ${wait}::jsonb where team_id = ${team.id}`
  const { codes, reasons, facts, is_moving } = await whyOf(team, queueId)
  assert.deepEqual(
    [is_moving, codes, facts.waits[0].rule, facts.waits[0].runs],
    [true, ['guardrail'], 'quiet_hours', 2],
  )
  assert.match(reasons[0].says, /2 runs of cases wait because of the team’s guardrails \(quiet_hours\)/)
})

proves('cases.ages', 'open cases are counted by age and status, by the index of statuses alone', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  const [first, second] = await seedCases(team, queueId, 3)
  await team.sql`update cases set created_at = now() - interval '40 days' where id = ${first} and team_id = ${team.id}`
  await team.call(`POST /v2/cases/${second}/complete`, { body: {} })
  await team.call(`POST /v2/cases/${first}/claim`)
  const { body, status, text } = await team.call(`GET /v2/queues/${queueId}/ages`)
  assert.equal(status, 200, text)
  const counts = body.ages.map((age: Record<string, number>) => [
    age['from_seconds'],
    age['pending'],
    age['in_progress'],
  ])
  assert.deepEqual(
    counts.filter(([, pending, held]: number[]) => pending! + held! > 0),
    [
      [86_400, 1, 0],
      [30 * 86_400, 0, 1],
    ],
  )
  assert.equal(Math.round((Date.now() - Date.parse(body.oldest_at)) / 86_400_000), 40)
  const other = await seedQueue(team)
  await seedCases(team, other, 5000)
  await service.context.db.pool.query('vacuum analyze cases')
  const plansOf = await plansOn(service.context.db)
  const [plan] = await plansOf((explained) =>
    handled(getCaseAges, { sql: explained, team, context: service.context, found: { queue: { id: queueId } } }),
  )
  assert.match(plan!, /Index Only Scan using cases_by_status/)
})
