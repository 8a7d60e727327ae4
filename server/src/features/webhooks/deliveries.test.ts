// Deliveries as callers see them: listed, read, asked for again, and tests.
import assert from 'node:assert/strict'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { flatten } from '../../base/sql.ts'
import { envelopeOf, eventNames } from '../../kit/event.ts'
import { validatorOf } from '../../kit/validate.ts'
import { listDeliveryTargets } from './listDeliveryTargets.ts'
import { listWebhookDeliveries } from './listWebhookDeliveries.ts'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'

// excepted, so that no test waits for a resolver
const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const { db } = service.context

async function subscribe(team: TestTeam, events: string[] = ['*']): Promise<string> {
  const body = { url: 'https://hooks.example.com/runyard', events }
  return (await team.call('POST /v2/teams/:teamId/webhooks', { body })).body.subscription_id
}

/** Settled deliveries of events that happened one a minute, the newest a minute ago; every tenth is dead. */
async function seedSettled({ id, sql }: TestTeam, targetId: string, count: number): Promise<void> {
  await sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at, attempts, reason)
    select gen_random_uuid(), ${id}, ${targetId}, gen_random_uuid(), (${eventNames}::text[])[1 + nth % 15],
      now() - make_interval(mins => (${count} + 1 - nth)::int), case nth % 10 when 0 then 'dead' else 'delivered' end,
      now() - interval '30 seconds', 3, case nth % 10 when 0 then 'The last attempt failed.' end
    from generate_series(1, ${count}::int) nth`
}

const list = async (team: TestTeam, query = '') =>
  (await team.call(`GET /v2/teams/:teamId/webhook-deliveries?${query}`)).body

proves('deliveries.list', 'deliveries are listed newest first, with their totals under each filter', async () => {
  const team = await seedTeam(service)
  const [one, two] = [await subscribe(team), await subscribe(team)]
  await seedSettled(team, one, 30)
  await seedSettled(team, two, 15)
  await team.call(`POST /v2/webhooks/${two}/test`)
  const page = await list(team, 'limit=2&offset=1')
  assert.deepEqual([page.total, page.limit, page.offset, page.deliveries.length], [46, 2, 1, 2])
  assert.ok(page.deliveries.every((delivery: { subscription_id: string }) => delivery.subscription_id === two))
  assert.ok(page.deliveries[0].created_at > page.deliveries[1].created_at)
  const total = async (query: string) => (await list(team, `limit=0&${query}`)).total
  assert.equal(await total('status=dead'), 4)
  assert.equal(await total('status=delivered'), 41)
  assert.equal(await total('status=new'), 1)
  assert.equal(await total('status=retrying'), 0)
  assert.equal(await total('event=run.failed'), 3)
  assert.equal(await total(`subscription_id=${one}`), 30)
  assert.equal(await total(`subscription_id=${one}&status=dead&event=connection.action_required`), 0)
  assert.equal(await total(`subscription_id=${two}&status=new&event=run.completed`), 1)
  const dead = await list(team, `status=dead&subscription_id=${one}`)
  assert.deepEqual([dead.total, dead.deliveries.length, dead.limit], [3, 3, 50])
  for (const delivery of dead.deliveries) assert.equal(delivery.status, 'dead')
  for (const query of ['status=lost', 'event=run.finished', 'limit=201']) {
    assert.equal((await team.call(`GET /v2/teams/:teamId/webhook-deliveries?${query}`)).status, 400, query)
  }
})

proves(
  'deliveries.walls',
  'another team’s webhook, an unknown one and the address of a callback give an empty page',
  async () => {
    const team = await seedTeam(service)
    await seedSettled(team, await subscribe(team), 3)
    const stranger = await seedTeam(service)
    const theirs = await subscribe(stranger)
    await seedSettled(stranger, theirs, 3)
    const callback = newId()
    await team.sql`
    insert into delivery_targets (id, team_id, kind, url) values (${callback}, ${team.id}, 'callback', 'https://hooks.example.com')`
    await seedSettled(team, callback, 1)
    for (const id of [theirs, callback, newId(), 'none']) {
      assert.deepEqual(
        await list(team, `subscription_id=${id}`),
        { deliveries: [], total: 0, limit: 50, offset: 0 },
        id,
      )
    }
    assert.equal((await list(team)).total, 4)
    const { deliveries } = await list(stranger)
    assert.equal((await team.call(`GET /v2/webhook-deliveries/${deliveries[0].id}`)).status, 404)
    assert.equal((await team.call(`POST /v2/webhook-deliveries/${deliveries[0].id}/replay`)).status, 404)
  },
)

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Plans?: PlanNode[]
}

const scansIn = (node: PlanNode): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name']!] : []),
  ...(node.Plans ?? []).flatMap(scansIn),
]

let statements = 0

/** Runs statements as usual, and fails where one would read all deliveries: for the values at hand, or for any. */
const watched: Sql = async (strings, ...values) => {
  const { statement, parameters } = flatten(strings, values)
  statements += 1
  const client = await db.pool.connect()
  try {
    const custom = await client.query(`explain (format json) ${statement.text}`, parameters)
    const generic = await client.query(`explain (generic_plan, format json) ${statement.text}`)
    const scanned = [custom, generic].flatMap(({ rows }) => scansIn(rows[0]['QUERY PLAN'][0].Plan as PlanNode))
    assert.ok(!scanned.includes('deliveries'), statement.text)
  } finally {
    client.release()
  }
  return db.sql(strings, ...values)
}

proves('deliveries.listPlans', 'no filter and no total reads the deliveries of other teams', async () => {
  const team = await seedTeam(service)
  const stranger = await seedTeam(service)
  const [one, two] = [await subscribe(team), await subscribe(team)]
  await seedSettled(team, one, 1500)
  await seedSettled(team, two, 500)
  await seedSettled(stranger, await subscribe(stranger), 10_000)
  await db.pool.query('vacuum analyze deliveries')
  for (const status of [{}, { status: 'dead' }, { status: 'delivered' }, { status: 'new' }]) {
    for (const event of [{}, { event: 'run.failed' }]) {
      for (const whose of [{}, { subscription_id: two }, { run_id: newId() }]) {
        const query = { ...status, ...event, ...whose, limit: 50, offset: 0 }
        await listWebhookDeliveries.handler!({ team, query, sql: watched } as never)
      }
    }
  }
  assert.ok(statements >= 24, `${statements} statements for 24 lists`)
})

proves('deliveries.ofRun', 'deliveries of one run are listed and counted, and no other team’s', async () => {
  const [team, stranger] = [await seedTeam(service), await seedTeam(service)]
  const webhook = await subscribe(team)
  await seedSettled(team, webhook, 20)
  const runId = newId()
  await team.sql`update deliveries set run_id = ${runId} where team_id = ${team.id} and n % 2 = 0`
  const page = await list(team, `run_id=${runId}&limit=3`)
  assert.deepEqual([page.total, page.deliveries.length], [10, 3])
  const times = page.deliveries.map(({ created_at }: { created_at: string }) => created_at)
  assert.deepEqual(times, times.toSorted().toReversed())
  assert.ok(page.deliveries.every(({ run_id }: { run_id: string }) => run_id === runId))
  const dead = await list(team, `run_id=${runId}&status=dead`)
  assert.equal(dead.total, dead.deliveries.length)
  assert.ok(dead.total <= 2)
  for (const id of [newId(), 'none']) assert.equal((await list(team, `run_id=${id}`)).total, 0)
  assert.equal((await list(stranger, `run_id=${runId}`)).total, 0)
})

proves('deliveries.get', 'a delivery is read with its attempts, the oldest first', async () => {
  const team = await seedTeam(service)
  const webhook = await subscribe(team)
  const { body } = await team.call(`POST /v2/webhooks/${webhook}/test`)
  const id = body.delivery_id
  const failed = { ok: false, status: 503, stage: 'status', error: 'The receiver answered 503.', answer: 'Not now.' }
  const done = { ok: true, status: 200, stage: null, error: null, answer: null }
  const log = [failed, done].map((one, nth) => ({ at: `2026-07-18T09:30:0${nth}.000Z`, latency_ms: 12, ...one }))
  await team.sql`
    update deliveries set state = 'delivered', settled_at = now(), attempts = 2, log = ${JSON.stringify(log)}::jsonb where id = ${id}`
  const read = await team.call(`GET /v2/webhook-deliveries/${id}`)
  assert.deepEqual(Object.keys(read.body), ['delivery', 'delivery_id'])
  const { created_at, settled_at, ...fields } = read.body.delivery
  assert.ok(settled_at >= created_at)
  assert.deepEqual(fields, {
    id,
    delivery_id: id,
    team_id: team.id,
    subscription_id: webhook,
    url: 'https://hooks.example.com/runyard',
    event: 'run.completed',
    event_id: body.delivery.event_id,
    run_id: null,
    status: 'delivered',
    attempts: 2,
    next_attempt_at: null,
    reason: null,
    log,
  })
  const { deliveries } = await list(team)
  assert.deepEqual({ ...deliveries[0], log }, read.body.delivery, 'lists give it without them')
  assert.ok(!('log' in deliveries[0]))
})

proves(
  'deliveries.test',
  'a test is one delivery of an example that fits its kind, says that it is a test, and is not an event',
  async () => {
    const team = await seedTeam(service)
    const webhook = await subscribe(team, ['run.paused', 'run.failed'])
    for (const event of eventNames) {
      const { status, body } = await team.call(`POST /v2/webhooks/${webhook}/test`, { body: { event } })
      assert.equal(status, 201)
      const { id, event_id, created_at, ...rest } = body.delivery
      assert.deepEqual([rest.event, rest.status, rest.subscription_id, rest.log], [event, 'new', webhook, []])
      const [row] = await team.sql<{ data: Record<string, unknown>; id: string }>`
      select data, delivery_id(event_id, target_id) as id from deliveries where id = ${id} and team_id = ${team.id}`
      assert.equal(row!.id, id)
      const validator = validatorOf(envelopeOf(event).schema)
      assert.deepEqual([...validator.Errors({ id, event, created_at, data: row!.data })], [], event)
      assert.deepEqual([row!.data['test'], row!.data['event_id'], row!.data['team_id']], [true, event_id, team.id])
    }
    assert.equal((await list(team)).total, eventNames.length)
    assert.deepEqual(await team.sql`select id from events where team_id = ${team.id}`, [])
  },
)

proves(
  'deliveries.test',
  'a test is of the first event that the webhook gets, and is refused while it is not active',
  async () => {
    const team = await seedTeam(service)
    const eventOf = async (events: string[]) =>
      (await team.call(`POST /v2/webhooks/${await subscribe(team, events)}/test`)).body.delivery.event
    assert.equal(await eventOf(['run.paused', 'run.failed']), 'run.paused')
    assert.equal(await eventOf(['*', 'run.failed']), 'run.failed')
    assert.equal(await eventOf(['*']), 'run.completed')
    const webhook = await subscribe(team)
    const unknown = await team.call(`POST /v2/webhooks/${webhook}/test`, { body: { event: '*' } })
    assert.deepEqual([unknown.status, unknown.body.error], [400, 'invalid_request'])
    await team.call(`PATCH /v2/teams/:teamId/webhooks/${webhook}`, { body: { active: false } })
    const refused = await team.call(`POST /v2/webhooks/${webhook}/test`)
    assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
    assert.match(refused.body.message, /not active\. Set active to true/)
  },
)

proves(
  'deliveries.timing',
  'the health of receivers is read by indexes, however many deliveries other teams have',
  async () => {
    const team = await seedTeam(service)
    await seedSettled(team, await subscribe(team), 40)
    const other = await seedTeam(service)
    await seedSettled(other, await subscribe(other), 6000)
    await db.pool.query('vacuum analyze deliveries, delivery_targets')
    const plan = await plansOn(db)
    const plans = await plan((sql) => handled(listDeliveryTargets, { sql, team, context: service.context }))
    assert.equal(plans.length, 1)
    assert.doesNotMatch(plans[0]!, /Seq Scan on deliveries/)
    assert.match(plans[0]!, /deliveries_by_team/)
    assert.match(plans[0]!, /deliveries_by_state/)
  },
)
