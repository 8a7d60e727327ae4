// What is forgotten of deliveries, and what is not.
import assert from 'node:assert/strict'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Database, Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { flatten } from '../../base/sql.ts'
import { forgetTargets } from './forgetTargets.job.ts'
import { sweepDeliveries } from './sweepDeliveries.job.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { context } = service

async function sweep(db: Database = context.db): Promise<void> {
  const call = { input: {}, context: { ...context, db }, sql: db.sql, signal: new AbortController().signal }
  await sweepDeliveries.handler(call)
  await forgetTargets.handler(call)
}

/** Calls back with the text of each statement when it is done. */
function noting(noted: (text: string) => unknown): Database {
  const noteOn =
    (sql: Sql): Sql =>
    async (strings, ...values) => {
      const rows = await sql(strings, ...values)
      await noted(flatten(strings, values).statement.text)
      return rows as never
    }
  const { db } = context
  return { ...db, sql: noteOn(db.sql), transaction: (work) => db.transaction((sql) => work(noteOn(sql))) }
}

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

proves('deliveries.targetsForgotten', 'nor one to which something is sent while others are searched', async () => {
  const team = await seedTeam(service)
  const [used, unused] = [await seedTarget(team, 'callback', 2), await seedTarget(team, 'callback', 2)]
  let isUsed = false
  await sweep(
    noting(async (text) => {
      if (isUsed || !text.includes('array_agg(distinct target_id)')) return
      isUsed = true
      await seedDelivery(team, used, 'delivered', 0)
    }),
  )
  assert.ok(isUsed)
  assert.deepEqual(await targetIds(team), new Set([used]), unused)
})

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Plans?: PlanNode[]
}

const nodesIn = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesIn)]

proves(
  'deliveries.forgottenByIndex',
  'every look for deliveries is by an index that leads to them, and none is repeated for each target',
  async () => {
    const team = await seedTeam(service)
    for (let n = 0; n < 30; n++) await seedTarget(team, 'callback', 2)
    const [deleted, busy] = [await seedTarget(team, 'subscription', 9, 2), await seedTarget(team, 'callback', 2)]
    for (const state of ['new', 'retrying', 'delivered']) await seedDelivery(team, deleted, state, 0)
    await seedDelivery(team, busy, 'delivered', 0)
    const texts: string[] = []
    await sweep(noting((text) => texts.push(text)))
    assert.deepEqual(await targetIds(team), new Set([deleted, busy]))
    const looks = texts.filter((text) => /\b(deliveries|delivery_batches)\b/.test(text) && !text.includes('settled_at'))
    assert.ok(looks.length > 5 && looks.length < 40, `${looks.length} looks`)
    for (const text of looks) {
      const { rows } = await context.db.pool.query(`explain (generic_plan, format json) ${text}`)
      const scans = nodesIn(rows[0]['QUERY PLAN'][0].Plan as PlanNode).filter(
        (node) => node['Node Type'].endsWith('Scan') && /^deliver(ies|y_batches)/.test(node['Relation Name'] ?? ''),
      )
      for (const scan of scans) {
        const by = scan['Index Cond'] ?? scan['Recheck Cond'] ?? ''
        assert.match(by, /\b(team_id|target_id|batch_id|id)\b/, `${JSON.stringify(scan)} of ${text}`)
      }
    }
  },
)
