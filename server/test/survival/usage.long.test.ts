// Usage is what the provider charged, whoever was killed on the way.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { startChargingProvider } from './chargingProvider.ts'
import { temporaryDataDir } from './processes.ts'
import { chargedEnv, isExact, useModels } from './usage.ts'
import { openYard } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const provider = await startChargingProvider()
const env = {
  DATABASE_URL: connectionUrl(await testDatabase()),
  LOG_LEVEL: 'warn',
  ...(await chargedEnv(provider, dataDir.path)),
}
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await provider.close()
  await dataDir.remove()
})

proves(
  'usage.killed',
  'what a team used is what its provider charged less what was lost, to the token and the micro-dollar',
  async (t) => {
    const seen = await useModels(yard, provider, { runs: 20, atOnce: 12, kills: 3, pauseMs: 200, stopEvery: 6 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.runs >= 20 && seen.kills >= 3 && seen.lost.calls > 0)
    assert.ok(isExact(seen), JSON.stringify(seen))
  },
)
