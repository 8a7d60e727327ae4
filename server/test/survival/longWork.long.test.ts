// Long work in a small window continues whoever is killed, and recalls what its first turns found.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { proves } from '../kit/proves.ts'
import { startLongModels } from './longModels.ts'
import { isLongWork, workLong } from './longWork.ts'
import { startLongWorld } from './longWorld.ts'
import { temporaryDataDir } from './processes.ts'
import { openYard } from './yard.ts'

const turns = 120
const dataDir = await temporaryDataDir()
const world = await startLongWorld()
const models = await startLongModels(world, turns)
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn', ...models.env }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await Promise.all([models.close(), world.close()])
  await dataDir.remove()
})

proves(
  'runs.longWork',
  'every turn is there once, requests fit the window, and the last turn has the facts of the third',
  async (t) => {
    const seen = await workLong(yard, world, models, { turns, kills: 4 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.kills >= 4)
    assert.ok(isLongWork(seen), JSON.stringify(seen))
  },
)
