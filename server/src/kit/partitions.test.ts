// Partitions by time, in a real database: the next one, an old one, and what belongs to none.
import assert from 'node:assert/strict'
import { drainDeliveries, readDeliveries, setRunApart, subscribe } from '../../test/kit/deliveries.ts'
import { plansOn } from '../../test/kit/plans.ts'
import { proves } from '../../test/kit/proves.ts'
import { startReceiver } from '../../test/kit/receiver.ts'
import { drainRuns, seedAgent, startRun } from '../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../test/kit/seed.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { testApp, type TestApp } from '../../test/kit/testApp.ts'
import { part, type Address, type Part } from '../base/db.ts'
import { firstIdAt, newId, timeOfId } from '../base/ids.ts'
import { eraseDelivered } from '../features/webhooks/eraseDelivered.job.ts'
import { undelivered } from '../features/webhooks/undelivered.ts'
import { addPartitions } from './addPartitions.job.ts'
import { enqueueOn } from './job.ts'
import { dropOldEvents, eraseOldEvents, type KeptEvents } from './oldEvents.ts'
import { addPartition, dropPartition, oldPartitions, partitionsOf, type PartitionedTable } from './partitions.ts'
import { sweepRuns } from '../engine/ending/sweepRuns.job.ts'

const dayMs = 86_400_000
const retention = { runs: null, messages: null, screenshots: null, files: null, audit: 400, refusals: null }
const serviceOf = async (events: number, address?: Address) =>
  testApp({
    address: address ?? (await testDatabase()),
    config: { allowPrivateHosts: ['127.0.0.1'], retentionDays: { ...retention, events } },
  })
type Service = TestApp

const partitions = (service: Service, table: PartitionedTable) => partitionsOf(service.context.db.sql, table)

/** Writes an event of no run with this id; answers with the partition in which it is. */
async function write(team: TestTeam, id: string): Promise<string> {
  await team.sql`
    insert into event_batches (id, team_id, kinds, entries) values (${id}, ${team.id}, 'u', '[{}]')`
  const [found] = await team.sql<{
    name: string
  }>`select tableoid::regclass::text as name from event_batches where id = ${id}`
  return found!.name
}

const run = async (service: Service, job: typeof addPartitions) => {
  await enqueueOn(service.context.db.sql)(job, {})
  await service.drain()
}

proves('partitions.next', 'the next partition follows the last one, and is made once', async () => {
  const service = await serviceOf(30)
  for (let i = 0; i < 6; i++) await run(service, addPartitions)
  for (const [table, days] of [
    ['event_batches', 8],
    ['delivery_batches', 8],
    ['audit_log', 31],
  ] as const) {
    const [before, ...others] = (await partitions(service, table)).filter(({ is_rest }) => !is_rest)
    assert.equal(before!.first, null)
    assert.ok(others.length >= 1)
    let past = before!.past!
    for (const next of others) {
      assert.equal(next.first, past)
      past = next.past!
      assert.equal(timeOfId(past) - timeOfId(next.first), days * dayMs)
    }
    assert.ok(timeOfId(past) > Date.now() + days * dayMs)
    assert.ok(timeOfId(past) <= Date.now() + (2 * days + 3) * dayMs, 'no more than are needed')
  }
  const team = await seedTeam(service)
  const next = (await partitions(service, 'event_batches')).find(({ first }) => first !== null)
  assert.equal(await write(team, newId()), 'event_batches_before')
  assert.equal(await write(team, next!.first!), next!.name)
  const indexes = await team.sql<{ text: string }>`
    select concat(indexdef like '% UNIQUE %', substring(indexdef from ' USING .*')) as text from pg_indexes
    where tablename = any(${['event_batches_before', next!.name]}) order by 1`
  assert.equal(new Set(indexes.map(({ text }) => text)).size * 2, indexes.length, 'each partition has every index')
})

proves(
  'partitions.next',
  'what was written while there was no partition for it stays, and the next one begins after it',
  async () => {
    const service = await serviceOf(4)
    const team = await seedTeam(service)
    const before = (await partitions(service, 'event_batches')).find(({ past }) => past !== null)!
    const ids = [firstIdAt(timeOfId(before.past!) + 1), firstIdAt(Date.now() + 400 * dayMs)]
    for (const id of ids) assert.equal(await write(team, id), 'event_batches_rest')
    await addPartition(service.context.db, 'event_batches', 4)
    await addPartition(service.context.db, 'event_batches', 4)
    const made = (await partitions(service, 'event_batches')).filter(({ first }) => first !== null)
    assert.ok(made.length > 0)
    assert.ok(made[0]!.first! > ids[0]!)
    const found = await team.sql<{
      id: string
    }>`select id from event_batches where id = any(${ids}::uuid[]) order by id`
    assert.deepEqual(
      found.map(({ id }) => id),
      ids,
    )
  },
)

proves(
  'partitions.planned',
  'what all partitions have together is known to the planner after they have grown',
  async () => {
    const service = await serviceOf(30)
    const team = await seedTeam(service)
    await team.sql`
    insert into event_batches (id, team_id, kinds, entries) select new_id(), ${team.id}, 'u', '[{}]' from generate_series(1, 1000)`
    await service.context.db.pool.query('analyze event_batches_before')
    const known = async () =>
      (await team.sql<{ rows: number }>`select reltuples as rows from pg_class where relname = 'event_batches'`)[0]!
        .rows
    assert.ok((await known()) < 1000)
    await run(service, addPartitions)
    assert.ok((await known()) >= 1000)
  },
)

proves('partitions.busy', 'a partition is not made while another has the table for longer than a moment', async () => {
  const service = await serviceOf(30)
  const { db } = service.context
  await db.transaction(async (other) => {
    await other`select from event_batches limit 1`
    assert.equal(await addPartition(db, 'event_batches', 30), false)
  })
  assert.equal(await addPartition(db, 'event_batches', 30), true)
})

/** Rows are old after so many days: as if ten days had passed, today's are. */
const tenDaysLater = -10

/** Two runs with deliveries: of the first one, one event was not delivered. */
async function deliveredRuns(service: Service) {
  const team = await seedTeam(service)
  const receiver = await startReceiver()
  await subscribe(team, receiver.url, ['run.completed', 'run.started'])
  const agentId = await seedAgent(team, '```output\ndone\n```\n')
  const runs = [await startRun(team, agentId), await startRun(team, agentId)]
  await drainRuns(service)
  await drainDeliveries(service)
  for (const runId of runs) await setRunApart(team.sql, runId)
  await team.sql`update deliveries set state = 'dead', settled_at = now() where run_id = ${runs[0]!} and event = 'run.completed'`
  return { team, kept: runs[0]!, gone: runs[1]! }
}

proves(
  'retention.kept',
  'events that were not delivered stay with their deliveries when their partition is dropped',
  async () => {
    const service = await serviceOf(tenDaysLater)
    const { team, kept, gone } = await deliveredRuns(service)
    const eventsOf = async (runId: string) =>
      (await team.sql<{ event: string }>`select event from events where run_id = ${runId}`).map(({ event }) => event)
    const [completed] = await team.sql<{ id: string; kinds: string }>`
    select id, kinds from event_batches where run_id = ${kept} and kinds like '%c%'`
    await run(service, sweepRuns)
    assert.deepEqual(
      (await partitions(service, 'event_batches')).map(({ name }) => name),
      ['event_batches_rest'],
    )
    assert.deepEqual(await eventsOf(gone), [])
    assert.equal((await eventsOf(kept)).length, completed!.kinds.length)
    const left = await team.sql<{ run_id: string; state: string }>`select run_id, state from deliveries order by n`
    assert.ok(left.every(({ run_id }) => run_id === kept))
    assert.equal(left.filter(({ state }) => state === 'dead').length, 1)
    assert.equal((await readDeliveries(team)).length, left.length)
    const again = await team.sql`select from delivery_batches where batch_id <> ${completed!.id}`
    assert.equal(again.length, 0, 'nothing is left of deliveries whose events are gone')
    // as if it had been written while there was no partition for it
    const alone = firstIdAt(Date.now() - dayMs)
    await team.sql`
      insert into delivery_batches (batch_id, target_id, team_id, created_at, kinds, waiting, delivered)
      values (${alone}, ${newId()}, ${team.id}, now(), 's', '0', '1')`
    await enqueueOn(team.sql)(eraseDelivered, { past: firstIdAt(Date.now()) })
    await service.drain()
    assert.deepEqual(await team.sql`select from delivery_batches where batch_id = ${alone}`, [])
  },
)

/** A query for so many ids. */
const many =
  (count: Part): KeptEvents =>
  () =>
    part`
  select ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid from generate_series(1, ${count}) n`

proves(
  'retention.kept',
  'what stays of old events is looked for among deliveries that were not made, by their events',
  async () => {
    const service = await serviceOf(30)
    const team = await seedTeam(service)
    await team.sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state)
    select new_id(), ${team.id}, ${newId()}, new_id(), 'run.started', now(), case when n < 4000 then 'dead' else 'delivered' end
    from generate_series(1, 8000) n`
    await service.context.db.pool.query('analyze deliveries')
    const [old, recent] = [firstIdAt(Date.now() - dayMs), firstIdAt(Date.now() + dayMs)]
    const found = (past: string) =>
      part`select from (${undelivered({ after: part`${old}::uuid`, past: part`${past}::uuid` })}) k`
    const plansOf = await plansOn(service.context.db)
    const [plan] = await plansOf((sql) => sql`${found(old)}`)
    assert.match(
      plan!,
      /using deliveries_undelivered on deliveries d\n\s+Index Cond: \(\(event_id > \$\d\) AND \(event_id < \$\d\)\)\n/,
    )
    const range = { partition: 'event_batches_rest', days: 30, after: old, max: 5 }
    const [byRow] = await plansOf((sql) => eraseOldEvents(sql, { ...range, keeping: [undelivered] }))
    assert.match(
      byRow!,
      /using deliveries_undelivered on deliveries d\n\s+Index Cond: .*event_id > .* AND \(event_id < /,
    )
    const [none, all] = [await team.sql`${found(old)}`, await team.sql`${found(recent)}`]
    assert.deepEqual([none.length, all.length], [0, 2 * 3999])
  },
)

const mustStay = async () => assert.fail('it was dropped')

proves(
  'retention.kept',
  'a partition with too many events that stay is not dropped, also if they become many at the last moment',
  async () => {
    const service = await serviceOf(30)
    const { db } = service.context
    const isLocked = part`exists (
    select from pg_locks where relation = 'event_batches'::regclass and mode = 'AccessExclusiveLock' and granted)`
    for (const count of [part`10001`, part`case when ${isLocked} then 10001 else 1 end`]) {
      const byRow = await dropOldEvents(db, { days: tenDaysLater, keeping: [many(count)], dropped: mustStay })
      assert.deepEqual(byRow.toSorted(), ['event_batches_before', 'event_batches_rest'])
    }
  },
)

proves('retention.partitions', 'rows of a partition that is not yet old as a whole stay', async () => {
  const address = await testDatabase()
  const service = await serviceOf(30, address)
  const team = await seedTeam(service)
  await run(service, addPartitions)
  const { db } = service.context
  const next = (await partitions(service, 'event_batches')).find(({ first }) => first !== null)!
  assert.equal(await write(team, next.first!), next.name)
  await run(await serviceOf(Math.ceil((Date.now() - timeOfId(next.past!)) / dayMs), address), sweepRuns)
  const names = new Set((await partitions(service, 'event_batches')).map(({ name }) => name))
  assert.ok(names.has(next.name) && !names.has('event_batches_before'))
  assert.equal((await db.sql`select from event_batches where id = ${next.first!}`).length, 1)
})

proves(
  'retention.partitions',
  'a partition of the audit log goes as a whole, and nobody takes rows out of one',
  async () => {
    const service = await serviceOf(30)
    const { db } = service.context
    await seedTeam(service)
    await db.sql`
    insert into audit_log (id, team_id, credential_type, operation, request_id, status)
    values (${newId()}, ${newId()}, 'api_key', 'createMember', 'r', 201)`
    await assert.rejects(db.sql`delete from audit_log_before`, /append-only/)
    await assert.rejects(db.sql`update audit_log_before set operation = 'x'`, /append-only/)
    for (const { name } of await oldPartitions(db.sql, 'audit_log', tenDaysLater))
      await db.transaction((sql) => dropPartition(sql, 'audit_log', name, []))
    assert.deepEqual(await db.sql`select from audit_log`, [])
  },
)
