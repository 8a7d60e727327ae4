// Deliveries in batches: they are told apart by everybody who reads, changes or sends them.
import assert from 'node:assert/strict'
import { drainDeliveries, readDeliveries, subscribe, type ShownDelivery } from '../../../test/kit/deliveries.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { loadBatches, markDelivered, type InBatch } from './deliveryBatches.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'], webhookScheduleS: [0, 0, 0] } })
const { sql } = service.context.db
const procedure = '```memory path=a.md\na\n```\n\n```memory path=b.md\nb\n```\n\n```output\ndone\n```\n'

/** A team with two webhooks, one of them for some events only, and a run that has ended. */
async function ran() {
  const team = await seedTeam(service)
  const receiver = await startReceiver()
  const all = await subscribe(team, `${receiver.url}/all`)
  const some = await subscribe(team, `${receiver.url}/some`, ['run.tool_call.completed', 'run.completed'])
  const runId = await startRun(team, await seedAgent(team, procedure))
  await drainRuns(service)
  const list = async (query: string) => (await team.call(`GET /v2/teams/:teamId/webhook-deliveries?${query}`)).body
  return { team, receiver, all, some, runId, list }
}

proves(
  'deliveries.batches',
  'the events of one change to one target are one row, and each is listed by itself',
  async () => {
    const { team, all, some, runId, list } = await ran()
    const rows = await sql`select from delivery_batches where team_id = ${team.id}`
    const whole = await list('limit=200')
    assert.ok(rows.length < whole.total / 2, `${rows.length} rows for ${whole.total} deliveries`)
    assert.equal(whole.deliveries.length, whole.total)
    assert.equal(new Set(whole.deliveries.map(({ id }: ShownDelivery) => id)).size, whole.total)
    const narrow = await list(`subscription_id=${some}&limit=200`)
    assert.deepEqual(
      narrow.deliveries.map(({ event }: ShownDelivery) => event),
      ['run.completed', 'run.tool_call.completed', 'run.tool_call.completed'],
    )
    assert.equal((await list(`subscription_id=${all}`)).total + narrow.total, whole.total)
    assert.equal((await list('event=run.completed')).total, 2)
    assert.equal((await list(`run_id=${runId}`)).total, whole.total)
    assert.equal((await list('status=new')).total, whole.total)
    assert.deepEqual([(await list('status=delivered')).total, (await list('status=dead')).total], [0, 0])
    const pages = []
    for (let offset = 0; offset < whole.total; offset += 3)
      pages.push(...(await list(`limit=3&offset=${offset}`)).deliveries)
    assert.deepEqual(pages, whole.deliveries, 'in pages, none is twice or missing')
  },
)

proves('deliveries.batches', 'one that fails leaves its batch, and the others are delivered', async () => {
  const { team, receiver, some, list } = await ran()
  receiver.answer(500)
  const sending = drainDeliveries(service)
  await receiver.got(1)
  receiver.answer(200)
  await sending
  const { deliveries } = await list(`subscription_id=${some}&limit=200`)
  assert.deepEqual(
    deliveries.map(({ status }: ShownDelivery) => status),
    ['delivered', 'delivered', 'delivered'],
  )
  const shown = await readDeliveries(team)
  const repeated = shown.filter(({ attempts }) => attempts > 1)
  assert.ok(repeated.length > 0 && repeated.length < shown.length)
  assert.equal(
    receiver.received.length,
    shown.reduce((sum, { log }) => sum + log.length, 0),
  )
  const own = await sql<{ id: string }>`select id from deliveries where team_id = ${team.id}`
  assert.deepEqual(new Set(own.map(({ id }) => id)), new Set(repeated.map(({ id }) => id)), 'they alone are rows')
})

proves('deliveries.batches', 'what was delivered in a batch is sent again with the same id and bytes', async () => {
  const { team, receiver, some } = await ran()
  await drainDeliveries(service)
  const first = receiver.received.filter(({ url }) => url === '/some').map(({ body }) => body.toString())
  const { body: one } = await team.call(`POST /v2/webhook-deliveries/${JSON.parse(first[1]!).id}/replay`)
  assert.deepEqual([one.delivery.status, one.delivery.log.length], ['replaying', 1])
  await drainDeliveries(service)
  assert.equal(receiver.received.at(-1)!.body.toString(), first[1])
  const { body } = await team.call(`POST /v2/webhooks/${some}/replay`, { body: { since: '2026-01-01' } })
  assert.equal(body.deliveries, first.length)
  await service.drain()
  await drainDeliveries(service)
  const again = receiver.received.slice(-first.length).map((request) => request.body.toString())
  assert.deepEqual(again.toSorted(), first.toSorted())
})

proves('deliveries.batches', 'one that still waits is not sent again, and deleting its webhook drops it', async () => {
  const { team, receiver, all, list } = await ran()
  const waiting = (await list(`subscription_id=${all}`)).deliveries[0] as ShownDelivery
  assert.equal((await team.call(`POST /v2/webhook-deliveries/${waiting.id}/replay`)).status, 409)
  await team.call(`DELETE /v2/teams/:teamId/webhooks/${all}`)
  assert.equal((await team.call(`GET /v2/webhook-deliveries/${waiting.id}`)).status, 404)
  await drainDeliveries(service)
  assert.ok(receiver.received.every(({ url }) => url === '/some'))
})

proves(
  'deliveries.batches',
  'a batch that is larger than what is loaded at once is sent in pieces, in order',
  async () => {
    const team = await seedTeam(service)
    const receiver = await startReceiver()
    const targetId = await subscribe(team, receiver.url)
    const runId = await startRun(team, await seedAgent(team, procedure))
    await sql`delete from delivery_batches where team_id = ${team.id}`
    const entries = JSON.stringify(Array.from({ length: 600 }, () => ({ note: 'n' })))
    await sql`
    insert into event_batches (id, team_id, run_id, agent_id, last, kinds, entries)
    values (event_batch_id(${newId()}), ${team.id}, ${runId}, ${newId()}, 1600, repeat('m', 600), ${entries}::json)`
    const first = await loadBatches(sql, [{ targetId, max: 64, known: [] }])
    assert.deepEqual([first.length, first[0]!.batch!.isInPart], [64, true])
    await drainDeliveries(service)
    assert.deepEqual(
      receiver.received.map(({ body }) => JSON.parse(body.toString()).data.sequence),
      Array.from({ length: 600 }, (_, n) => 1001 + n),
    )
  },
)

proves('deliveries.batches', 'of two results of one attempt, only the first is written and counted', async () => {
  const { team, some } = await ran()
  const loaded = await loadBatches(sql, [{ targetId: some, max: 64, known: [] }])
  const resultAt = (at: string): InBatch[] =>
    loaded.map((delivery) => ({
      delivery: { ...delivery, batch: delivery.batch! },
      outcome: {
        attempt: { at, ok: true, status: 200, stage: null, error: null, latency_ms: 5, answer: null },
        retryAfterS: undefined,
        isGone: false,
      },
      state: 'delivered',
      dueInS: null,
      reason: null,
    }))
  const used = () =>
    sql`select coalesce(sum(deliveries), 0)::int as count from usage_entries where team_id = ${team.id}`
  await markDelivered(sql, resultAt('2026-07-18T10:00:00.123Z'))
  assert.deepEqual(await used(), [{ count: 3 }])
  await markDelivered(sql, resultAt('2026-07-18T10:00:01.000Z'))
  assert.deepEqual(await used(), [{ count: 3 }])
  const { body } = await team.call(`GET /v2/webhook-deliveries/${loaded[0]!.id}`)
  assert.deepEqual(
    body.delivery.log.map(({ at }: { at: string }) => at),
    ['2026-07-18T10:00:00.123Z'],
  )
})

proves('deliveries.batches', 'what is in memory of one target is loaded for another', async () => {
  const { all, some } = await ran()
  const load = async (known: Record<string, number[]>) =>
    loadBatches(
      sql,
      [all, some].map((targetId) => ({ targetId, max: 64, known: known[targetId] ?? [] })),
    )
  const first = await load({})
  const ofAll = first.filter(({ target_id }) => target_id === all)
  const known = [...new Set(ofAll.map(({ batch }) => batch!.n))]
  assert.ok(known.length > 1)
  assert.deepEqual(
    await load({ [all]: known }),
    first.filter(({ target_id }) => target_id === some),
  )
  assert.deepEqual(
    await load({ [all]: known.slice(0, 1), [some]: known }),
    first.filter(({ batch, target_id }) => target_id === some || batch!.n !== known[0]),
  )
})
