// A stop counts from its answer on, whatever the run was doing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { isWhole } from './ledger.ts'
import { temporaryDataDir } from './processes.ts'
import { stopInEveryPhase } from './stops.ts'
import { openYard } from './yard.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 0 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

// proves runs.stoppedInEveryPhase
test('a run is stopped in every phase: nothing is written and nothing is called after the answer', async (t) => {
  const seen = await stopInEveryPhase(yard, { perPhase: 4, workers: 1, lateMs: 2500 })
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.stops, 40)
  assert.equal(seen.notAsAnswered, 0)
  assert.equal(seen.writtenAfter, 0)
  assert.equal(seen.calledAfter, 0)
  assert.ok(seen.cutOff > 0, 'some stops found a call under way')
  assert.ok(isWhole(seen), 'one end each, numbers without gaps, nothing left open')
})
