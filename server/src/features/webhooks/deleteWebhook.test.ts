// Deleting a webhook for which much waits: it is done at once, nothing more is sent, and what waits is dropped in parts.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { after } from 'node:test'
import { drainDeliveries, subscribe } from '../../../test/kit/deliveries.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { loadBatches } from './deliveryBatches.ts'
import { deliveriesChannel } from './deliveriesChannel.ts'
import { delivererOf } from './deliveryRole.ts'
import { loadDue, loadNew } from './deliveryRows.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { context } = service
const { sql } = context.db

const emit = (team: TestTeam, count: number) => sql`
  insert into event_batches (id, team_id, kinds, entries)
  select id, ${team.id}, event_kind('connection.updated'), '[{}]' from unnest(${Array.from({ length: count }, newId)}::uuid[]) id`

const remove = async (team: TestTeam, webhook: string) =>
  assert.equal((await team.call(`DELETE /v2/teams/:teamId/webhooks/${webhook}`)).status, 200)

async function waiting(webhook: string): Promise<number> {
  const [counted] = await sql<{ count: number }>`
    select (select count(*) from delivery_batches where target_id = ${webhook} and has_waiting)
      + (select count(*) from deliveries where target_id = ${webhook} and state in ('new', 'retrying', 'replaying')) as count`
  return counted!.count
}

async function delivered(webhook: string): Promise<number> {
  const [counted] = await sql<{ count: number }>`
    select count(*) from delivery_batches where target_id = ${webhook} and bit_count(delivered) > 0`
  return counted!.count
}

proves(
  'webhooks.deletedAtOnce',
  'nobody sees or loads what waits for a deleted webhook, which a job drops afterwards',
  async () => {
    const team = await seedTeam(service)
    const [webhook, kept] = [
      await subscribe(team, 'http://127.0.0.1/one'),
      await subscribe(team, 'http://127.0.0.1/two'),
    ]
    await emit(team, 1300)
    await sql`
      select set_apart(batch_id, target_id, waiting) from (
        select * from delivery_batches where team_id = ${team.id} and target_id = ${webhook} order by n limit 200) b`
    await sql`update deliveries set state = 'retrying', due_at = now() where target_id = ${webhook} and n % 3 = 0`
    await sql`update delivery_targets set retry_at = now() where id = ${webhook}`
    const list = async (query: string) => (await team.call(`GET /v2/teams/:teamId/webhook-deliveries?${query}`)).body
    const { deliveries } = await list(`subscription_id=${webhook}&status=retrying`)
    await remove(team, webhook)
    assert.equal(await waiting(webhook), 1300, 'the deletion itself drops nothing')
    assert.equal((await team.call(`GET /v2/webhook-deliveries/${deliveries[0].id}`)).status, 404)
    for (const query of ['', '&status=new', '&status=retrying', '&event=connection.updated']) {
      assert.deepEqual((await list(`subscription_id=${webhook}${query}`)).total, 0, query)
    }
    const all = await list('')
    assert.equal(all.total, 1300, 'what waits for the other one')
    assert.ok(all.deliveries.every(({ subscription_id }: { subscription_id: string }) => subscription_id === kept))
    const loaded = await Promise.all([
      loadNew(sql, [webhook], [], 10),
      loadDue(sql, [webhook], [], 10),
      loadBatches(sql, [{ targetId: webhook, max: 10, known: [] }]),
    ])
    assert.deepEqual(loaded.flat(), [])
    await service.drain()
    assert.deepEqual([await waiting(webhook), await waiting(kept)], [0, 1300])
  },
)

/** Answers nobody until it is told to; then everybody. */
async function startHesitant() {
  let count = 0
  const unanswered: ServerResponse[] = []
  let isTold = false
  const server = createServer((request, response) => {
    request.resume()
    count += 1
    if (isTold) response.end()
    else unanswered.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => count,
    answer() {
      isTold = true
      for (const response of unanswered) response.end()
    },
  }
}

/** A process that has loaded twenty deliveries, of which four are on their way. */
async function sending() {
  const team = await seedTeam(service)
  const receiver = await startHesitant()
  const webhook = await subscribe(team, receiver.url)
  await emit(team, 20)
  const work = delivererOf(context).work({ id: newId(), lost: () => new AbortController().signal })
  while (receiver.received() < 4) await nextTurn()
  /** The four are answered and that is written, or more were sent. */
  const answered = async () => {
    receiver.answer()
    while (receiver.received() === 4 && (await delivered(webhook)) < 4) await nextTurn()
  }
  return { team, receiver, webhook, work, answered }
}

proves(
  'webhooks.deletedAtOnce',
  'a process that has loaded what waits sends no more of it',
  { timeout: 60_000 },
  async () => {
    const { team, receiver, webhook, work, answered } = await sending()
    const heard = new Promise<string>((resolve) => context.listener.on(deliveriesChannel, (id) => id && resolve(id)))
    while (!context.listener.hears(deliveriesChannel)) await nextTurn()
    await remove(team, webhook)
    assert.equal(await heard, webhook)
    await answered()
    await work.stop()
    await drainDeliveries(service)
    assert.equal(receiver.received(), 4)
  },
)

proves('webhooks.deletedAtOnce', 'nor does one that learns of it only when it looks', { timeout: 60_000 }, async () => {
  const { receiver, webhook, work, answered } = await sending()
  await sql`update delivery_targets set deleted_at = now() where id = ${webhook}`
  await work.poll()
  await answered()
  await work.stop()
  assert.equal(receiver.received(), 4)
})
