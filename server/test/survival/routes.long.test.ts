// A provider that dies in the middle of answers: runs go on with their next model, and usage is what was charged.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { proves } from '../kit/proves.ts'
import { testDatabase } from '../kit/postgres.ts'
import { startTwoProviders } from './dyingProvider.ts'
import { temporaryDataDir } from './processes.ts'
import { dieUnderRuns, isRouted } from './routes.ts'
import { openYard } from './yard.ts'

const dataDir = await temporaryDataDir()
const providers = await startTwoProviders()
const env = {
  DATABASE_URL: connectionUrl(await testDatabase()),
  LOG_LEVEL: 'warn',
  ...(await providers.env(join(dataDir.path, 'prices.json'))),
}
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 1 })
after(async () => {
  await yard.close()
  await providers.close()
  await dataDir.remove()
})

proves(
  'routes.dies',
  'a provider that dies at any byte costs no run, and what was used is what was charged',
  async (t) => {
    const seen = await dieUnderRuns(yard, providers, { deaths: 12, atOnce: 6 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(isRouted(seen) && seen.cut >= 12, JSON.stringify(seen))
  },
)
