// The money of a day: calls that come at once are held together, and never more of them than fit.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import type { Database } from '../../base/db.ts'
import { proves } from '../../../test/kit/proves.ts'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { createCallLeases, createCostHolds, leaseName } from './dayBounds.ts'
import { midnightIn } from './judge.ts'
import type { Rules } from './rules.ts'

const address = await testDatabase()
const service = await testApp({ address })
const { db } = service.context
const calls = (teamId: string, count: number, limit: string) =>
  Array.from({ length: count }, () => ({ teamId, runId: newId(), step: 1, worst: '0.3', limit }))

/** The database, with a count of its transactions, which do not wait for a lock for long. */
function counted(onTransaction: (count: number) => void = () => undefined) {
  const seen = { transactions: 0 }
  const transaction: Database['transaction'] = (work) =>
    db.transaction(async (sql) => {
      seen.transactions += 1
      onTransaction(seen.transactions)
      await sql`select set_config('lock_timeout', '50', true)`
      return work(sql)
    })
  return { seen, db: { ...db, transaction } }
}

proves('guardrails.cost', 'calls that come while one is held share the next transaction', async () => {
  const { id } = await seedTeam(service)
  const { seen, db: watched } = counted()
  const holds = createCostHolds(watched)
  const outcomes = await Promise.all(calls(id, 41, '100').map((call) => holds.hold(call)))
  assert.deepEqual(
    outcomes.filter((until) => until !== undefined),
    [],
  )
  assert.equal(seen.transactions, 2)
})

proves('guardrails.cost', 'a day that is locked for long is asked for again, for all calls together', async () => {
  const { id } = await seedTeam(service)
  const again = Promise.withResolvers<void>()
  const { seen, db: watched } = counted((count) => count === 2 && again.resolve())
  const holds = createCostHolds(watched)
  const { holding } = await db.transaction(async (sql) => {
    await sql`insert into guardrail_days (team_id, day) values (${id}, (clock_timestamp() at time zone 'utc')::date)`
    const all = Promise.all(calls(id, 12, '100').map((call) => holds.hold(call)))
    await Promise.race([again.promise, all])
    return { holding: all }
  })
  assert.deepEqual([...new Set(await holding)], [undefined])
  assert.equal(seen.transactions, 3)
})

proves(
  'guardrails.cost',
  'of calls that come at once in two processes as many are held as fit into the day',
  async () => {
    const { id } = await seedTeam(service)
    const processes = [createCostHolds(db), createCostHolds(db)]
    const outcomes = await Promise.all(
      calls(id, 24, '2.2').map((call, n) => processes[n % processes.length]!.hold(call)),
    )
    assert.equal(outcomes.filter((until) => until === undefined).length, 7)
    const midnight = new Date().setUTCHours(24, 0, 0, 0)
    for (const until of outcomes) assert.ok(until === undefined || until === midnight, String(until))
  },
)

proves(
  'guardrails.calls',
  'a lease that waits for the row of its day until the day is over is asked for again, of the next day',
  async () => {
    const { id } = await seedTeam(service)
    await db.sql`create schema fake`
    await db.sql`create table fake.clock (at timestamptz)`
    await db.sql`insert into fake.clock values ('2031-05-06T23:59:59Z')`
    await db.sql`
      create function fake.clock_timestamp() returns timestamptz language plpgsql as 'begin return (select at from fake.clock); end'`
    await db.sql`insert into guardrail_days (team_id, day, calls) values (${id}, '2031-05-06', 3)`
    const holder = await begin(address)
    await holder.its`update guardrail_days set calls = calls where team_id = ${id}`
    const [me] = await holder.its<{ pid: number }>`select pg_backend_pid() as pid`
    const taking = db.transaction(async (sql) => {
      await sql`set local search_path = fake, pg_catalog, public`
      return createCallLeases(sql).take(leaseName(id, { version: 1 } as Rules), 3)
    })
    const isBlocked = async () =>
      (await db.sql`select from pg_stat_activity where ${me!.pid}::int = any(pg_blocking_pids(pid))`).length > 0
    while (!(await isBlocked()));
    await db.sql`update fake.clock set at = '2031-05-07T00:00:01Z'`
    await holder.commit()
    assert.equal((await taking).admitted, true)
    const days = await db.sql`
      select day::text as day, calls::int as calls from guardrail_days where team_id = ${id} order by day`
    assert.deepEqual(days, [
      { day: '2031-05-06', calls: 3 },
      { day: '2031-05-07', calls: 1 },
    ])
  },
)

proves('guardrails.calls', 'a call that is refused at the very end of a day waits for that midnight', () => {
  const midnight = Date.parse('2031-05-07T00:00:00Z')
  for (const aside of [-900, -1, 0, 1, 900]) assert.equal(midnightIn(1, midnight + aside), midnight, `${aside} ms`)
  assert.equal(midnightIn(86_400, midnight + 1), midnight + 86_400_000)
})
