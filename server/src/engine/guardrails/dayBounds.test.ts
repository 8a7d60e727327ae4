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

/** The database, with a count of its transactions. */
function counted() {
  const seen = { transactions: 0 }
  const transaction: Database['transaction'] = (work) => {
    seen.transactions += 1
    return db.transaction(work)
  }
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
