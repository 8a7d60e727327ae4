// One Idempotency-Key is one effect, over two processes and through kill -9.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { crowdOnOneKey, killMidRequest } from './idempotency.ts'
import { startService, temporaryDataDir } from './processes.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const options = {
  dataDir: dataDir.path,
  env: {
    DATABASE_URL: connectionUrl(await testDatabase()),
    RUNYARD_ROLE: 'api',
    RUNYARD_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
  },
}
const first = await startService(options)
const second = await startService(options)
after(async () => {
  await Promise.all([first.stop('SIGINT'), second.stop('SIGINT')])
  await dataDir.remove()
})

proves(
  'idempotency.crowd',
  '100 concurrent requests with one key over two processes, a few rounds: one effect each',
  async (t) => {
    const seen = await crowdOnOneKey([first, second], { rounds: 4 })
    t.diagnostic(JSON.stringify(seen))
    assert.equal(seen.effects, seen.rounds)
    assert.equal(seen.other, 0)
    assert.equal(seen.same + seen.busy, seen.rounds * 100)
  },
)

proves(
  'idempotency.killed',
  'kill -9 in the middle of a keyed write: the retry gets the one true answer',
  async (t) => {
    // before the commit, around it and behind it
    const seen = await killMidRequest(first, options, { kills: 3 })
    t.diagnostic(JSON.stringify(seen))
    assert.equal(seen.single, seen.kills)
  },
)
