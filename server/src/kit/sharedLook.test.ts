// The look that all loops of a process share: one statement for all who ask at once, and what happens to the others when one cannot be answered.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { part, type Sql } from '../base/db.ts'
import type { Context } from './context.ts'
import { lookFor } from './sharedLook.ts'

const service = await testApp()
const { context } = service
await seedTeam(service)

/** A process of its own on the same database, whose statements are counted. */
function counting(): { context: Context; statements: () => number } {
  let count = 0
  const sql: Sql = (strings, ...values) => {
    count += 1
    return context.db.sql(strings, ...values)
  }
  return { context: { ...context, parts: new Map(), db: { ...context.db, sql } }, statements: () => count }
}

proves(
  'kit.look',
  'loops that ask at the same moment are answered by one statement, each with its own answers',
  async () => {
    const { context: mine, statements } = counting()
    const first = { yes: part`true`, no: part`false` }
    const second = { teams: part`exists (select from teams)` }
    for (let round = 1; round <= 2; round++) {
      const [one, two] = await Promise.all([lookFor(mine, first), lookFor(mine, second)])
      assert.deepEqual(one, { yes: true, no: false })
      assert.deepEqual(two, { teams: true })
      assert.equal(statements(), round)
    }
  },
)

proves('kit.look', 'the answer is of a statement that began after the question', async () => {
  const { context: mine, statements } = counting()
  const asked = { marked: part`exists (select from teams where name = 'Marked for the look')` }
  const before = lookFor(mine, asked)
  while (statements() === 0) await new Promise((resolve) => setImmediate(resolve))
  await context.db.sql`update teams set name = 'Marked for the look'`
  assert.deepEqual(await lookFor(mine, asked), { marked: true })
  await before
  assert.equal(statements(), 2)
})

proves('kit.look', 'a condition that cannot be answered fails only those who asked for it', async () => {
  const { context: mine } = counting()
  const bad = { broken: part`1 / (select count(*) from teams where false) = 1` }
  const good = { yes: part`true` }
  const [failed, answered] = await Promise.allSettled([lookFor(mine, bad), lookFor(mine, good)])
  assert.equal(failed.status, 'rejected')
  assert.deepEqual(answered, { status: 'fulfilled', value: { yes: true } })
})
