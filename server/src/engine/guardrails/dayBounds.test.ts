// The money of a day: calls that come at once are held together, and never more of them than fit.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import type { Database } from '../../base/db.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { createCostHolds } from './dayBounds.ts'

const service = await testApp()
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
