// Cases outlive the workers of their runs.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { isWorked, workCases } from './cases.ts'
import { temporaryDataDir } from './processes.ts'
import { openYard } from './yard.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env } })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

// proves cases.killed
test('workers killed at random moments lose no case, and work none twice or out of order', async (t) => {
  const seen = await workCases(yard, { cases: 2000, producers: 4, kills: 10, pauseMs: 400, forMs: 120_000 })
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.cases, 2000)
  assert.ok(seen.kills >= 10 && seen.repeats > 0)
  assert.ok(isWorked(seen))
})
