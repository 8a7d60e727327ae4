// What is forgotten of deliveries, and what is not.
import assert from 'node:assert/strict'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { sweepDeliveries } from './sweepDeliveries.job.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { context } = service

const sweep = () =>
  sweepDeliveries.handler({ input: {}, context, sql: context.db.sql, signal: new AbortController().signal })

async function seedTarget(
  team: TestTeam,
  kind: string,
  days: number,
  deletedDays: number | null = null,
): Promise<string> {
  const id = newId()
  await team.sql`
    insert into delivery_targets (id, team_id, kind, url, events, created_at, deleted_at)
    values (${id}, ${team.id}, ${kind}, ${`https://hooks.example.com/${id}`}, '{*}', now() - make_interval(days => ${days}),
      now() - make_interval(days => ${deletedDays}))`
  return id
}

async function seedDelivery(
  team: TestTeam,
  targetId: string,
  state: string,
  days: number,
  data: string | null = null,
): Promise<string> {
  const id = newId()
  await team.sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at, data)
    values (${id}, ${team.id}, ${targetId}, ${newId()}, 'run.failed', now(), ${state}, now() - make_interval(days => ${days}), ${data}::json)`
  return id
}

const idsIn = async (rows: Promise<{ id: string }[]>) => new Set((await rows).map(({ id }) => id))
const deliveryIds = ({ id, sql }: TestTeam) =>
  idsIn(sql<{ id: string }>`select id from deliveries where team_id = ${id}`)
const targetIds = ({ id, sql }: TestTeam) =>
  idsIn(sql<{ id: string }>`select id from delivery_targets where team_id = ${id}`)

proves(
  'deliveries.kept',
  'dead letters and tests are erased after 30 days, and deliveries with their event',
  async () => {
    const team = await seedTeam(service)
    const target = await seedTarget(team, 'subscription', 90)
    const kept = [
      await seedDelivery(team, target, 'dead', 29),
      await seedDelivery(team, target, 'delivered', 60),
      await seedDelivery(team, target, 'delivered', 29, '{}'),
    ]
    await seedDelivery(team, target, 'dead', 31)
    await seedDelivery(team, target, 'delivered', 31, '{}')
    await team.sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at)
    select gen_random_uuid(), ${team.id}, ${target}, gen_random_uuid(), 'run.failed', now(), 'dead', now() - interval '40 days'
    from generate_series(1, 1500)`
    await sweep()
    assert.deepEqual(await deliveryIds(team), new Set(kept))
    assert.deepEqual(await targetIds(team), new Set([target]))
  },
)

proves(
  'deliveries.targetsForgotten',
  'addresses of callbacks go when they are a day old and have no deliveries, deleted webhooks likewise',
  async () => {
    const team = await seedTeam(service)
    const kept = [
      await seedTarget(team, 'subscription', 90),
      await seedTarget(team, 'callback', 0),
      await seedTarget(team, 'callback', 2),
      await seedTarget(team, 'callback', 2),
      await seedTarget(team, 'subscription', 90, 0),
      await seedTarget(team, 'subscription', 90, 2),
    ]
    await seedDelivery(team, kept[2]!, 'delivered', 2)
    const [living] = await team.sql<{ id: string }>`
    insert into processes (id, role, host, pid) values (${newId()}, 'worker', 'here', 1) returning id`
    await team.sql`update delivery_targets set worker = ${living!.id} where id = ${kept[3]!}`
    await seedDelivery(team, kept[5]!, 'delivered', 2)
    await seedTarget(team, 'callback', 2)
    const ofDead = await seedTarget(team, 'callback', 2)
    await team.sql`update delivery_targets set worker = ${newId()} where id = ${ofDead}`
    await seedTarget(team, 'subscription', 90, 2)
    await sweep()
    assert.deepEqual(await targetIds(team), new Set(kept))
  },
)

proves('deliveries.dropped', 'what was written for a webhook while it was being deleted is dropped', async () => {
  const team = await seedTeam(service)
  const [deleted, living] = [await seedTarget(team, 'subscription', 9, 0), await seedTarget(team, 'subscription', 9)]
  for (const state of ['new', 'retrying', 'replaying']) await seedDelivery(team, deleted, state, 0)
  const kept = [await seedDelivery(team, deleted, 'delivered', 0), await seedDelivery(team, living, 'new', 0)]
  await sweep()
  assert.deepEqual(await deliveryIds(team), new Set(kept))
})

proves(
  'deliveries.targetsForgotten',
  'an address whose next event is being written is not forgotten, nor does the sweep wait for it for long',
  async () => {
    const team = await seedTeam(service)
    const target = await seedTarget(team, 'callback', 2)
    await context.db.transaction(async (sql) => {
      // as the trigger does it: the target is offered, found to be there, and then used
      await sql`
      insert into delivery_targets (id, team_id, kind, url) select ${newId()}, team_id, kind, url from delivery_targets where id = ${target}
      on conflict (team_id, md5(url)) where kind = 'callback' do nothing`
      await sweep()
      await seedDelivery({ ...team, sql }, target, 'new', 0)
    })
    await sweep()
    assert.deepEqual(await targetIds(team), new Set([target]))
  },
)
