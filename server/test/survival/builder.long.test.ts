// Builder runs outlive their workers: each comes to its proposal, once.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { builderEnv, holdsForBuilders, killWorkersOfBuilders, startBuilderModel } from './builder.ts'
import { temporaryDataDir } from './processes.ts'
import { openYard } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const model = await startBuilderModel()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn', ...builderEnv(model) }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await model.close()
  await dataDir.remove()
})

proves('builder.killed', 'workers killed at random moments lose no builder run and tell nothing twice', async (t) => {
  const seen = await killWorkersOfBuilders(yard, model, { killsBetween: 1, atOnce: 4 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.killsBetween >= 1 && seen.begun >= 4)
  assert.ok(holdsForBuilders(seen), JSON.stringify(seen))
})
