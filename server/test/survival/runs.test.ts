// Runs outlive their workers: what was begun ends, and nothing that happened outside happens again.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { areTrue, isWhole } from './ledger.ts'
import { temporaryDataDir } from './processes.ts'
import { killWorkersOfRuns } from './runs.ts'
import { openYard } from './yard.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env } })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

// proves runs.killed
test('workers killed at random moments lose no run and repeat no call', async (t) => {
  const seen = await killWorkersOfRuns(yard, { runs: 40, atOnce: 6, kills: 8, forMs: 60_000 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.runs >= 40 && seen.kills >= 8)
  assert.equal(seen.completed, seen.runs)
  assert.equal(seen.lost, 0)
  assert.ok(areTrue(seen), 'nothing finished was repeated, nothing in doubt was repeated without a word')
  assert.ok(isWhole(seen), 'one end each, numbers without gaps')
  assert.equal(seen.memoryGeneration, seen.memoryWrites)
})
