// A large upload goes through a real process piece by piece: it never holds the whole of it.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { startService, temporaryDataDir } from './processes.ts'
import { isSlim, uploadThrough } from './uploads.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), RUNYARD_RATE_LIMIT: '0', LOG_LEVEL: 'warn' }
const service = await startService({ dataDir: dataDir.path, env, args: ['--role', 'api'] })
after(async () => {
  await service.stop('SIGINT')
  await dataDir.remove()
})

proves(
  'uploads.memory',
  '64 MiB come in by an upload address and go out again, and the process grows by less than 100 MB',
  async (t) => {
    // what a process takes to do anything for the first time is not the file
    await uploadThrough(service, 4)
    const seen = await uploadThrough(service, 64)
    t.diagnostic(JSON.stringify(seen))
    assert.ok(isSlim(seen), JSON.stringify(seen))
  },
)
