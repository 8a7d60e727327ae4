// Which connection a pool gives: the one that was opened first, of those that are free.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../../test/kit/postgres.ts'
import { openDatabase } from './db.ts'
import { createLog } from './log.ts'

const address = await testDatabase()
const db = openDatabase({ address: () => address, log: createLog('silent') })
after(() => db.close())

test('statements that do not meet go through the first connection, whichever was used last', async () => {
  const [first, second, third] = [await db.pool.connect(), await db.pool.connect(), await db.pool.connect()]
  for (const client of [second, first, third]) client.release()
  const again = [await db.pool.connect(), await db.pool.connect(), await db.pool.connect()]
  assert.deepEqual(
    again.map((client) => [first, second, third].indexOf(client)),
    [0, 1, 2],
  )
  for (const client of again) client.release()
  const ids = new Set<number>()
  for (let n = 0; n < 5; n++) {
    const [row] = await db.sql<{ pid: number }>`select pg_backend_pid() as pid`
    ids.add(row!.pid)
  }
  assert.equal(ids.size, 1)
})

test('a connection that broke is not given again, and the next one is', async () => {
  const [first, second] = [await db.pool.connect(), await db.pool.connect()]
  first.release(new Error('broken'))
  second.release()
  const next = await db.pool.connect()
  assert.equal(next, second)
  next.release()
})
