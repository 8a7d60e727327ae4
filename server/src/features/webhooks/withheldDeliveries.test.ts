// Deliveries of events that a credential may not read: it replays none of them, and gets none at a URL of its own.
import assert from 'node:assert/strict'
import { subscribe } from '../../../test/kit/deliveries.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import type { EventName } from '../../kit/event.ts'
import { replayReadable } from './replayDeliveries.job.ts'
import { replayWebhook } from './replayWebhook.ts'
import { whyNotTurned } from './withheldDeliveries.ts'

// excepted, so that no test waits for a resolver
const service = await testApp({ config: { allowPrivateHosts: ['hooks.example.com'] } })
const url = 'https://hooks.example.com/runyard'
const readable = 'run.failed'
const unreadable = 'queue.case.created'

const emit = ({ id, sql }: TestTeam, events: EventName[]) => sql`
  insert into events (id, team_id, event, data)
  select event_id, ${id}, event, '{}' from unnest(${events.map(newId)}::uuid[], ${events}::text[]) as e (event_id, event)`

/** Everything that waits was delivered at its first attempt. */
const deliver = ({ id, sql }: TestTeam, webhook: string) => sql`
  update delivery_batches set delivered = waiting, waiting = waiting # waiting,
    log = '[1,[[0,1,200,5,[null,null,null,null,null],null]]]'
  where target_id = ${webhook} and team_id = ${id} and has_waiting`

/** Makes all of them rows of their own. */
const setAllApart = ({ id, sql }: TestTeam, webhook: string) => sql`
  select set_apart(batch_id, target_id, waiting | delivered) from delivery_batches where target_id = ${webhook} and team_id = ${id}`

const statesOf = ({ id, sql }: TestTeam, webhook: string) => sql<{ event: string; state: string; count: number }>`
  select event, state, count(*)::int as count from every_delivery where target_id = ${webhook} and team_id = ${id}
  group by event, state order by event, state`

/** A webhook that got two events of each kind, one of them in a batch, and since then gets one kind alone. */
async function seed() {
  const team = await seedTeam(service)
  const scopes = ['webhooks:manage', 'runs:read']
  const { body } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes } })
  const webhook = await subscribe(team, url)
  const patch = `PATCH /v2/teams/:teamId/webhooks/${webhook}`
  for (const step of [setAllApart, () => undefined]) {
    await emit(team, [readable, unreadable])
    await deliver(team, webhook)
    await step(team, webhook)
  }
  const narrowed = await team.call(patch, { body: { events: [readable] } })
  assert.equal(narrowed.status, 200, narrowed.text)
  const key: string = body.secret
  const move = () => team.call(patch, { key, body: { url: `${url}/mine` } })
  const replay = (options: object = {}) =>
    team.call(`POST /v2/webhooks/${webhook}/replay`, { body: { since: '2026-01-01' }, ...options })
  return { team, webhook, key, move, replay }
}

proves('events.scopes', 'a replay leaves out the kinds of events that whoever asks for it may not read', async () => {
  const { team, webhook, key, move, replay } = await seed()
  assert.equal((await move()).status, 200, 'it gets only what the key may read')
  assert.equal((await replay({ key })).body.deliveries, 2)
  await service.drain()
  assert.deepEqual(await statesOf(team, webhook), [
    { event: unreadable, state: 'delivered', count: 2 },
    { event: readable, state: 'replaying', count: 2 },
  ])
})

proves('events.scopes', 'whoever may read everything replays all that the webhook may get', async () => {
  const { team, webhook, replay } = await seed()
  assert.equal((await replay()).body.deliveries, 4)
  await service.drain()
  assert.deepEqual(await statesOf(team, webhook), [
    { event: unreadable, state: 'replaying', count: 2 },
    { event: readable, state: 'replaying', count: 2 },
  ])
})

proves(
  'events.scopes',
  'a webhook that is turned to another URL after a replay was asked for gets nothing that whoever turned it may not read',
  async () => {
    const { team, webhook, move, replay } = await seed()
    assert.equal((await replay()).body.deliveries, 4)
    assert.equal((await move()).status, 200)
    await service.drain()
    assert.deepEqual(await statesOf(team, webhook), [
      { event: unreadable, state: 'delivered', count: 2 },
      { event: readable, state: 'replaying', count: 2 },
    ])
    assert.equal((await replay()).body.deliveries, 0, 'also when it is asked for again')
  },
)

proves('events.scopes', 'one delivery is replayed only by a credential that may read its event', async () => {
  const { team, webhook, key, move } = await seed()
  const found = await team.sql<{ id: string; event: string }>`
    select id, event from every_delivery where target_id = ${webhook} and team_id = ${team.id} order by event, n`
  const [first, second, own] = found.map(({ id }) => `POST /v2/webhook-deliveries/${id}/replay`)
  const refused = await team.call(first!, { key })
  assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'])
  assert.match(refused.body.message, /sends queue\.case\.created.*lacks queues:read/)
  assert.equal((await team.call(own!, { key })).status, 200)
  await team.sql`update deliveries set state = 'delivered', settled_at = now() where target_id = ${webhook}`
  assert.equal((await move()).status, 200)
  const withheld = await team.call(second!)
  assert.deepEqual([withheld.status, withheld.body.error], [409, 'conflict'])
  assert.match(withheld.body.message, /does not get such events/)
  await team.call(`PATCH /v2/teams/:teamId/webhooks/${webhook}`, { body: { url } })
  assert.equal((await team.call(second!)).status, 200)
})

proves(
  'events.scopes',
  'a webhook keeps its URL while something waits for it that the caller may not read',
  async () => {
    const { team, webhook, key, move } = await seed()
    const refused = async (state: string) => {
      const { status, body } = await move()
      assert.deepEqual([status, body.error], [403, 'insufficient_scope'], state)
      assert.match(body.message, /delivery of queue\.case\.created still waits.*lacks queues:read/)
    }
    await team.sql`
    update delivery_batches set waiting = delivered, delivered = waiting
    where target_id = ${webhook} and team_id = ${team.id} and bit_count(delivered) > 0`
    await refused('in a batch')
    const same = await team.call(`PATCH /v2/teams/:teamId/webhooks/${webhook}`, { key, body: { url } })
    assert.equal(same.status, 200, 'the same URL is no other receiver')
    await deliver(team, webhook)
    for (const state of ['new', 'retrying', 'replaying']) {
      await team.sql`update deliveries set state = ${state} where target_id = ${webhook} and event = ${unreadable}`
      await refused(state)
    }
    await team.sql`update deliveries set state = 'dead' where target_id = ${webhook} and event = ${unreadable}`
    await team.sql`update deliveries set state = 'retrying' where target_id = ${webhook} and event = ${readable}`
    const tested = await team.call(`POST /v2/webhooks/${webhook}/test`, { key, body: { event: unreadable } })
    assert.equal(tested.status, 201, tested.text)
    assert.equal((await move()).status, 200, 'an example is no event')
  },
)

proves(
  'events.scopes',
  'a webhook keeps its URL while more waits for it than is looked at for a caller who may not read every kind',
  async () => {
    const { team, webhook } = await seed()
    await emit(team, [readable, readable])
    await team.sql`update deliveries set state = 'retrying', due_at = now() where target_id = ${webhook} and event = ${readable}`
    const whyNot = (max: number) => whyNotTurned(team.sql, { id: webhook, team_id: team.id }, [unreadable], max)
    assert.match((await whyNot(3)) ?? '', /too many to look at each.*queues:read/)
    assert.equal(await whyNot(4), undefined)
  },
)

/** Older than what a replay is asked for, and thousands that it leaves out. */
async function seedThousands() {
  const seeded = await seed()
  const { team, webhook } = seeded
  await team.sql`update deliveries set created_at = '2025-01-01' where target_id = ${webhook}`
  await team.sql`update delivery_batches set created_at = '2025-01-01' where target_id = ${webhook}`
  await team.sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at)
    select gen_random_uuid(), ${team.id}, ${webhook}, gen_random_uuid(), ${unreadable}, now(), 'delivered', now() - interval '1 minute'
    from generate_series(1, 10001)`
  await team.sql`
    insert into delivery_batches (batch_id, target_id, team_id, created_at, kinds, waiting, delivered)
    select gen_random_uuid(), ${webhook}, ${team.id}, now(), event_kind(${unreadable}), '0', '1' from generate_series(1, 10001)`
  return seeded
}

const asked = (team: TestTeam, webhook: string) => ({
  team_id: team.id,
  subscription_id: webhook,
  since: '2026-01-01T00:00:00Z',
  asked_at: new Date().toISOString(),
  withheld: [unreadable],
})

proves(
  'deliveries.replaySince',
  'neither a replay nor another URL reads all that a team has in one statement',
  async () => {
    const { team, webhook } = await seedThousands()
    const { context } = service
    await context.db.pool.query('analyze deliveries, delivery_batches')
    const explain = await plansOn(context.db)
    const requested = await explain((sql) => {
      const caller = { scopes: new Set(['webhooks:manage', 'runs:read']) }
      const call = { team, caller, subscription: { id: webhook }, body: { since: '2026-01-01T00:00:00Z' }, sql }
      return replayWebhook.handler!({ ...call, enqueue: () => Promise.resolve() } as never)
    })
    assert.equal(
      requested.at(-1)!.match(/Limit\n +->  (Merge Append|Index Scan Backward)/g)?.length,
      2,
      requested.at(-1),
    )
    const carriedOut = await explain((sql) => {
      const db = { ...context.db, sql, transaction: <T>(work: (one: typeof sql) => Promise<T>) => work(sql) }
      const { signal } = new AbortController()
      return replayReadable.handler({ input: asked(team, webhook), context: { ...context, db }, sql, signal })
    })
    // two pieces of each table
    const bounded = carriedOut.filter((plan) => /\(n >=? \$\d+\) AND \(n <= \$\d+\)/.test(plan))
    const ends = carriedOut.filter((plan) => /^Limit\n +->  (Merge Append|Index Only Scan)/.test(plan))
    assert.deepEqual([bounded.length, ends.length], [4, 4], carriedOut.join('\n\n'))
    const [turned] = await explain((sql) => whyNotTurned(sql, { id: webhook, team_id: team.id }, [unreadable]))
    assert.equal(turned!.match(/Limit\n +->  (Merge Append|Index Scan)/g)?.length, 4, turned)
  },
)

proves(
  'deliveries.replaySince',
  'a replay comes to what is behind thousands of deliveries that it leaves out',
  async () => {
    const { team, webhook, key, replay } = await seedThousands()
    await emit(team, [readable, readable])
    await deliver(team, webhook)
    await team.sql`
    select set_apart(batch_id, target_id, delivered) from delivery_batches
    where target_id = ${webhook} and team_id = ${team.id} and kinds = event_kind(${readable}) order by n desc limit 1`
    assert.equal((await replay({ key })).body.deliveries, 2)
    await service.drain()
    assert.deepEqual(await statesOf(team, webhook), [
      { event: unreadable, state: 'delivered', count: 20_004 },
      { event: readable, state: 'delivered', count: 2 },
      { event: readable, state: 'replaying', count: 2 },
    ])
  },
)

proves(
  'deliveries.replaySince',
  'a replay that leaves kinds out is a job that the release before does not take',
  async () => {
    const { team, key, replay } = await seed()
    for (const [options, name] of [
      [{ key }, 'replayReadable'],
      [{}, 'replayDeliveries'],
    ] as const) {
      await replay(options)
      const jobs = await team.sql`
      select task_identifier from graphile_worker.jobs where task_identifier like 'replay%'`
      assert.deepEqual(jobs, [{ task_identifier: name }])
      await service.drain()
    }
  },
)
