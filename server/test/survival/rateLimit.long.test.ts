// One credential's minute is shared by all processes, exactly; refusing costs the database nothing.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { startService, temporaryDataDir } from './processes.ts'
import { rateLimitOver } from './rateLimit.ts'
import { proves } from '../kit/proves.ts'

const databaseUrl = connectionUrl(await testDatabase())
const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: databaseUrl, RUNYARD_ROLE: 'api', RUNYARD_RATE_LIMIT: '60', LOG_LEVEL: 'warn' }
const services = [
  await startService({ dataDir: dataDir.path, env }),
  await startService({ dataDir: dataDir.path, env }),
  await startService({ dataDir: dataDir.path, env }),
]
after(async () => {
  await Promise.all(services.map((service) => service.stop('SIGINT')))
  await dataDir.remove()
})

proves(
  ['rateLimit.shared', 'rateLimit.refusalIsFree'],
  '60 a minute over three processes: admitted are 57 to 63, and a 429 writes no row',
  async (t) => {
    const seen = await rateLimitOver(services, databaseUrl, { limit: 60, beyond: 60 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.admitted <= 60 * 1.01 + 3 && seen.admitted >= 60 * 0.95)
    assert.deepEqual(seen.tablesWrittenBy429s, [])
  },
)
