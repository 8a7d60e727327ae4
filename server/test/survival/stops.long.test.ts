// A stop counts from its answer on, whatever the run was doing.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { areTrue, isWhole } from '../../src/drill/ledger.ts'
import { stopNeighbours } from './neighbours.ts'
import { temporaryDataDir } from './processes.ts'
import { stopInEveryPhase } from './stops.ts'
import { runSubRuns } from './subRuns.ts'
import { openYard } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 0 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

proves(
  'runs.stoppedInEveryPhase',
  'a run is stopped in every phase: nothing is written and nothing is called after the answer',
  async (t) => {
    const seen = await stopInEveryPhase(yard, { perPhase: 4, workers: 1 })
    t.diagnostic(JSON.stringify(seen))
    assert.equal(seen.stops, 40)
    assert.equal(seen.notAsAnswered, 0)
    assert.equal(seen.writtenAfter, 0)
    assert.equal(seen.calledUnbegun, 0)
    assert.ok(seen.cutOff > 0, 'some stops found a call under way')
    assert.ok(isWhole(seen), 'one end each, numbers without gaps, nothing left open')
  },
)

proves('runs.neighbours', 'a stop fails, delays or doubts no other run that shares its commits', async (t) => {
  const seen = await stopNeighbours(yard, { runs: 8, forMs: 2000 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.stops > 0)
  assert.deepEqual([seen.completed, seen.inDoubt], [seen.runs, 0])
  assert.ok(areTrue(seen) && isWhole(seen))
})

proves(
  'runs.subRunLocks',
  'runs that start runs, wait for them and are stopped never wait for each other in a circle',
  async (t) => {
    yard.workers.push(await yard.startWorker())
    const seen = await runSubRuns(yard, { runs: 25, stopped: 15 })
    t.diagnostic(JSON.stringify(seen))
    assert.deepEqual([seen.otherwise, seen.deadlocks], [0, 0])
    assert.ok(isWhole(seen), 'one end each, numbers without gaps, nothing left open')
  },
)
