// What comes in for triggers outlives the processes that take and start it.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { proves } from '../kit/proves.ts'
import { temporaryDataDir } from './processes.ts'
import { bringWebhooks, isOnce } from './triggers.ts'
import { openYard } from './yard.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn', RUNYARD_TRIGGER_RATE_LIMIT: '0' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, apis: 2, workers: 2 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

proves(
  'triggers.killed',
  'APIs and workers killed at random moments lose no webhook and no item, and start none twice',
  async (t) => {
    const seen = await bringWebhooks(yard, {
      webhooks: 400,
      senders: 4,
      kills: 4,
      pauseMs: 500,
      items: 20,
      forMs: 120_000,
    })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.kills >= 4 && seen.repeats > 0 && seen.forged > 0)
    assert.ok(isOnce(seen))
  },
)
