// Runs outlive their workers: what was begun ends, and nothing that happened outside happens again.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { crowdOnOneKey } from './idempotency.ts'
import { keyedStart } from './keyedStart.ts'
import { areTrue, isWhole } from '../../src/drill/ledger.ts'
import { startNoise } from './noisyTeam.ts'
import { temporaryDataDir } from './processes.ts'
import { killWorkersOfRuns } from './runs.ts'
import { block, openYard } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

proves('runs.killed', 'workers killed at random moments lose no run and repeat no call', async (t) => {
  const seen = await killWorkersOfRuns(yard, { runs: 9, atOnce: 6, kills: 2, forMs: 200_000 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.runs >= 9 && seen.kills >= 2)
  assert.deepEqual([seen.subRuns, seen.completed, seen.lost], [seen.runs, seen.runs * 2, 0])
  assert.ok(areTrue(seen), 'nothing finished was repeated, nothing in doubt was repeated without a word')
  assert.ok(isWhole(seen), 'one end each, numbers without gaps')
  assert.equal(seen.memoryGeneration, seen.memoryWrites)
})

proves(
  'runs.keyedStart',
  '100 concurrent starts with one key over two processes, a few rounds: one run each',
  async (t) => {
    yard.apis.push(await yard.startApi())
    const agentId = await yard.newAgent(block('output', 'done'))
    const seen = await crowdOnOneKey(yard.apis, { rounds: 2, keyed: keyedStart(yard, agentId) })
    t.diagnostic(JSON.stringify(seen))
    assert.equal(seen.effects, seen.rounds)
    assert.equal(seen.other, 0)
    assert.equal(seen.same + seen.busy, seen.rounds * 100)
  },
)

proves(
  'runs.noisyTeam',
  'a team that starts many more runs than it has places keeps none of another team’s from starting',
  async (t) => {
    const seen = await startNoise(yard, { noisyRuns: 80, quietRuns: 8, everyMs: 50 })
    t.diagnostic(JSON.stringify(seen))
    assert.deepEqual([seen.quietRuns, seen.notCompleted], [8, 0])
  },
)
