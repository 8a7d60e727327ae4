// Looks for targets with work: in pieces, so that many of them hold nobody up, and without passing by what happens in between.
import assert from 'node:assert/strict'
import { subscribe } from '../../../test/kit/deliveries.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { flatten } from '../../base/sql.ts'
import type { Context } from '../../kit/context.ts'
import { claimWithWork } from './claimTargets.ts'
import { startDeliveryLoop } from './deliveryLoop.ts'
import { afterAllTargets, beforeAllRetries, beforeAllTargets, targetsWithWork, type Target } from './deliveryRows.ts'
import type { DeliveryState } from './deliveryState.ts'
import { openOutbox } from './outbox.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { context } = service
const { sql } = context.db

const newProcess = () => ({ id: newId(), lost: () => new AbortController().signal })

/** Targets for which something waits, and which must rest for an hour. */
const seedResting = ({ id }: TestTeam, count: number) => sql`
  with target as (
    insert into delivery_targets (id, team_id, kind, url, paused_until)
    select gen_random_uuid(), ${id}, 'callback', 'https://hooks.example.com/' || n, now() + interval '1 hour'
    from generate_series(1, ${count}::int) n returning id
  )
  insert into deliveries (id, team_id, target_id, event_id, event, data, created_at)
  select gen_random_uuid(), ${id}, id, gen_random_uuid(), 'run.completed', '{}', now() from target`

const happen = ({ id }: TestTeam) => sql`
  insert into events (id, team_id, event, data) values (${newId()}, ${id}, 'connection.updated', '{"change": "updated"}')`

/** A webhook of a new team, the first of all in the order of looks. */
async function seedFirst(id: string) {
  const team = await seedTeam(service)
  const receiver = await startReceiver()
  const made = await subscribe(team, receiver.url, ['connection.updated'])
  await sql`update delivery_targets set id = ${id} where id = ${made}`
  return { team, receiver }
}

proves(
  'webhooks.looks',
  'targets with retries are found in pieces, each once, those that are due longest first',
  async () => {
    const team = await seedTeam(service)
    // three at a time have the same moment, and the moments differ by less than a millisecond
    await sql`
      insert into delivery_targets (id, team_id, kind, url, retry_at)
      select gen_random_uuid(), ${team.id}, 'callback', 'https://hooks.example.com/' || n,
        now() - interval '1 hour' + (n / 3) * interval '1 microsecond' from generate_series(1, 2500) n`
    const inOrder = (
      await sql<{ id: string }>`select id from delivery_targets where team_id = ${team.id} order by retry_at, id`
    ).map(({ id }) => id)
    const by = { workerId: newId(), drillTeam: undefined }
    let next = beforeAllRetries
    for (const [from, to] of [
      [0, 1000],
      [1000, 2000],
      [2000, 2500],
    ] as const) {
      const look = await targetsWithWork(sql, by, { after: afterAllTargets, retriesAfter: next })
      assert.deepEqual(look.found.map(({ id }) => id).toSorted(), inOrder.slice(from, to).toSorted())
      assert.equal(look.reached_retry?.id, to === 2500 ? undefined : inOrder[to - 1])
      next = look.reached_retry ?? next
    }
    await context.db.pool.query('analyze delivery_targets')
    const [plan] = await (
      await plansOn(context.db)
    )((one) => targetsWithWork(one, by, { after: beforeAllTargets, retriesAfter: beforeAllRetries }))
    assert.match(plan!, /Index Scan using delivery_targets_live_retries/, plan)
    await sql`update delivery_targets set retry_at = null where team_id = ${team.id}`
  },
)

/** A context that notes each look for targets and each load of new deliveries, and calls back at so many looks. */
function noted(looksWanted: number) {
  const log: ('look' | 'load')[] = []
  const reached = Promise.withResolvers<void>()
  const noting: Sql = (strings, ...values) => {
    const { text } = flatten(strings, values).statement
    if (text.includes('with recursive fresh')) log.push('look')
    if (text.includes('next_batches')) log.push('load')
    if (log.filter((kind) => kind === 'look').length === looksWanted) reached.resolve()
    return sql(strings, ...values)
  }
  const mine: Context = { ...context, parts: new Map(context.parts), db: { ...context.db, sql: noting } }
  return { mine, log, reached: reached.promise }
}

proves(
  'webhooks.looks',
  'a look that continues another one loads nothing for the targets that the process has',
  { timeout: 60_000 },
  async (t) => {
    await seedResting(await seedTeam(service), 8500)
    const { team, receiver } = await seedFirst('00000000-0000-7000-8000-000000000001')
    await happen(team)
    const { mine, log, reached } = noted(8)
    const loop = startDeliveryLoop(mine, newProcess())
    t.after(() => loop.stop())
    await loop.poll()
    await receiver.got(1)
    await reached
    assert.match(log.join(' '), /look look look/)
  },
)

proves(
  'webhooks.looks',
  'an event for a target that the looks have passed is sent without a poll',
  { timeout: 60_000 },
  async (t) => {
    await seedResting(await seedTeam(service), 8500)
    const { team, receiver } = await seedFirst('00000000-0000-7000-8000-000000000002')
    const loop = startDeliveryLoop(context, newProcess())
    t.after(() => loop.stop())
    await loop.poll()
    await happen(team)
    loop.announced(true)
    assert.equal((await receiver.got(1)).length, 1)
  },
)

/** What a process knows that has so many targets. */
function stateWith(count: number): DeliveryState {
  const target = { team_id: newId(), kind: 'callback', url: 'https://hooks.example.com' }
  const held = Array.from({ length: count }, () => openOutbox({ ...target, id: newId() } as Target))
  const state: Partial<DeliveryState> = {
    context,
    process: newProcess(),
    outboxes: new Map(held.map((outbox) => [outbox.target.id, outbox])),
    elsewhere: new Set(),
    lookedTo: beforeAllTargets,
    retriedTo: beforeAllRetries,
  }
  return state as DeliveryState
}

proves('webhooks.looks', 'a process that has room for no other target looks no further', async () => {
  await seedResting(await seedTeam(service), 1001)
  for (const [count, isFull] of [
    [999, false],
    [1000, true],
  ] as const) {
    const state = stateWith(count)
    await claimWithWork(state, { fresh: true, retries: false })
    assert.notEqual(state.lookedTo, beforeAllTargets)
    assert.equal(state.claimTimer === undefined, isFull)
    clearTimeout(state.claimTimer)
  }
})
