// What waited for a webhook that was disabled becomes dead letters, and keeps nobody else waiting.
import assert from 'node:assert/strict'
import { subscribe } from '../../../test/kit/deliveries.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { setDisabledApart } from './deliveryBatches.ts'
import { delivererOf } from './deliveryRole.ts'
import { asked } from './deliveryLoop.ts'
import { disableTarget, giveUpDisabled } from './deliveryRows.ts'

const service = await testApp()
const { context } = service
const { db } = context

/** A disabled webhook for which so many batches wait. */
async function seedDisabled({ id: teamId, sql }: TestTeam, batches: number): Promise<string> {
  const id = newId()
  await sql`
    insert into delivery_targets (id, team_id, kind, url, events, active, disabled_at, disabled_reason)
    values (${id}, ${teamId}, 'subscription', 'https://hooks.example.com', '{*}', false, now(), 'It answered 410.')`
  await sql`
    insert into delivery_batches (batch_id, target_id, team_id, created_at, kinds, waiting, delivered)
    select batch_id, ${id}, ${teamId}, now(), event_kind('run.failed'), '1', '0'
    from unnest(${Array.from({ length: batches }, newId)}::uuid[]) batch_id`
  return id
}

proves(
  'webhooks.disabledInRounds',
  'a poll gives up a part of a large backlog, and the next ones the rest',
  async () => {
    const team = await seedTeam(service)
    const targetId = await seedDisabled(team, 1200)
    const states = () => team.sql<{ state: string; count: number }>`
    select state, count(*)::int as count from every_delivery where target_id = ${targetId} and team_id = ${team.id} group by state order by state`
    const work = delivererOf(context).work({ id: newId(), lost: () => new AbortController().signal })
    await work.poll()
    assert.deepEqual(await states(), [
      { state: 'dead', count: 500 },
      { state: 'new', count: 700 },
    ])
    await work.poll()
    await work.poll()
    assert.deepEqual(await states(), [{ state: 'dead', count: 1200 }])
    await work.stop()
  },
)

proves(
  'webhooks.disabledInRounds',
  'what waits for disabled webhooks is found without reading the others',
  async () => {
    const team = await seedTeam(service)
    await seedDisabled(team, 1)
    await team.sql`
    insert into delivery_targets (id, team_id, kind, url)
    select gen_random_uuid(), ${team.id}, 'callback', 'https://hooks.example.com/' || n from generate_series(1, 3000) n`
    await db.pool.query('analyze delivery_targets')
    const explained = await plansOn(db)
    const plans = await explained(async (sql) => {
      await setDisabledApart(sql, 500)
      await giveUpDisabled(sql, 5000)
    })
    assert.equal(plans.length, 2)
    for (const plan of plans) assert.match(plan, /delivery_targets_disabled/, plan)
  },
)

const isLookedFor = async (): Promise<boolean> => (await lookFor(context, asked)).retries

proves('webhooks.disabledQuiet', 'a deleted or disabled webhook with a retry leaves nothing to look for', async () => {
  const team = await seedTeam(service)
  const ways: ((id: string) => Promise<unknown>)[] = [
    (id) => team.call(`DELETE /v2/teams/:teamId/webhooks/${id}`),
    (id) => team.call(`PATCH /v2/teams/:teamId/webhooks/${id}`, { body: { active: false } }),
    (id) => disableTarget(team.sql, id, 'It answered 410.'),
  ]
  for (const end of ways) {
    const id = await subscribe(team, 'https://hooks.example.com')
    await team.sql`update delivery_targets set retry_at = now() - interval '1 s' where id = ${id}`
    assert.equal(await isLookedFor(), true)
    await end(id)
    assert.equal(await isLookedFor(), false)
  }
  const [plan] = await (await plansOn(db))((sql) => sql`select ${asked.retries}`)
  assert.match(plan!, /delivery_targets_live_retries/)
})
