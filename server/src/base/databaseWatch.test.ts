// The watch of the database: when it takes the database for unreachable, and when it does not.
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { testDatabase } from '../../test/kit/postgres.ts'
import { openDatabase } from './db.ts'
import { createLog } from './log.ts'
import { proves } from '../../test/kit/proves.ts'

proves('database.ownStall', 'a process that is busy itself does not take its database for away', async (t) => {
  const address = await testDatabase()
  const logged: string[] = []
  const db = openDatabase({ address: () => address, log: createLog('debug', { write: (line) => logged.push(line) }) })
  t.after(() => db.close())
  // the first look opens a connection, which takes several answers; each of them waits for a busy event loop
  for (let turn = 0; turn < 7; turn++) {
    const until = performance.now() + 400
    while (performance.now() < until);
    await nextTurn()
  }
  const answers = await db.sql<{ one: number }>`select 1 as one`
  assert.deepEqual(answers, [{ one: 1 }])
  assert.deepEqual(
    logged.filter((line) => line.includes('does not answer')),
    [],
  )
})
