// Artifacts outlive the workers that make them; `npm run survive` has the long form, and refreshes.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { holdsForMakers, killMakers, modelEnv, startPageModel } from './artifacts.ts'
import { temporaryDataDir } from './processes.ts'
import { openYard } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const model = await startPageModel()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn', ...modelEnv(model) }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await model.close()
  await dataDir.remove()
})

proves(
  'artifacts.killed',
  'a page whose workers are killed is whole in the end, or failed with a reason',
  async (t) => {
    const seen = await killMakers(yard, { killsBetween: 1, atOnce: 6 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.killsBetween >= 1 && seen.begun >= 6)
    assert.ok(holdsForMakers(seen), JSON.stringify(seen))
  },
)
