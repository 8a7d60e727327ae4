// The short form of the proof about alerts; `npm run survive` has the long one.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { startMailServer } from '../kit/mailServer.ts'
import { testDatabase } from '../kit/postgres.ts'
import { proves } from '../kit/proves.ts'
import { isAlertedOnce, killWhileAlerting } from './alerts.ts'
import { mailEnv } from './mails.ts'
import { temporaryDataDir } from './processes.ts'
import { openYard } from './yard.ts'

const dataDir = await temporaryDataDir()
const server = await startMailServer()
const env = {
  DATABASE_URL: connectionUrl(await testDatabase()),
  LOG_LEVEL: 'error',
  RUNYARD_DRAIN_S: '1',
  ...mailEnv(server),
}
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 1 })
after(async () => {
  await yard.close()
  await server.close()
  await dataDir.remove()
})

proves(
  'alerts.survive',
  'the worker is killed while incidents open and while they close, and each of them is in one mail of both kinds',
  async (t) => {
    const seen = await killWhileAlerting(yard, server, { rules: 3, cycles: 1, pauseMs: 300, flaps: 2 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(isAlertedOnce(seen), JSON.stringify(seen))
  },
)
