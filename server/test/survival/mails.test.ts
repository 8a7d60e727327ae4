// The short form of the proof about mails; `npm run survive` has the long one.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { startMailServer } from '../kit/mailServer.ts'
import { testDatabase } from '../kit/postgres.ts'
import { proves } from '../kit/proves.ts'
import { isToldOnce, killWhileMailing, mailEnv } from './mails.ts'
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
  'notifications.survive',
  'the worker is killed while it sends mails, and each member has one about each request',
  async (t) => {
    const seen = await killWhileMailing(yard, server, { members: 2, requests: 12, kills: 1, pauseMs: 30, answerMs: 10 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(isToldOnce(seen), JSON.stringify(seen))
  },
)
