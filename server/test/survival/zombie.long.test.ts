// A worker that stood still while its runs were taken over can change nothing of them when it goes on.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { loseLock } from './lostLock.ts'
import { loseAnswerOfClaim } from './lostClaim.ts'
import { areTrue, isWhole } from '../../src/drill/ledger.ts'
import { temporaryDataDir } from './processes.ts'
import { openYard } from './yard.ts'
import { stopAndContinueWorker } from './zombie.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 1 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

proves(
  'runs.zombie',
  'a stopped worker keeps its runs while its lock is held, and later only reports the answers that it has',
  async (t) => {
    const seen = await stopAndContinueWorker(yard, { runs: 8, stillMs: 1200 })
    t.diagnostic(JSON.stringify(seen))
    assert.equal(seen.completed, seen.runs)
    assert.ok(seen.keptWhileLocked > 0, 'it was stopped in the middle of some')
    assert.equal(seen.takenOver, seen.keptWhileLocked)
    assert.equal(seen.changedByZombie, 0)
    assert.deepEqual([seen.answeredLate, seen.stillAsked], [seen.inDoubt, 0], 'what only it knew is known')
    assert.ok(seen.inDoubt > 0)
    assert.ok(seen.livesOn)
    assert.ok(areTrue(seen), 'nothing finished was repeated, nothing in doubt was repeated without a word')
    assert.ok(isWhole(seen), 'one end each, numbers without gaps')
  },
)

proves('runs.lostClaim', 'runs that a living worker claimed without hearing of it are found and end', async (t) => {
  const seen = await loseAnswerOfClaim(yard, yard.workers[0]!, { runs: 5 })
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.claimed, 5)
  assert.deepEqual(seen.statuses, ['completed'])
})

proves(
  'runs.lostLock',
  'a worker that lost its lock for a while keeps its calls, and nobody is asked about them',
  async (t) => {
    const seen = await loseLock(yard, yard.workers[0]!, { runs: 4 })
    t.diagnostic(JSON.stringify(seen))
    assert.equal(seen.completed, seen.runs)
    assert.deepEqual([seen.cutOff, seen.asked], [0, 0])
    assert.ok(areTrue(seen) && isWhole(seen))
  },
)
