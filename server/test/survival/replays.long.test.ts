// Replays outlive their workers: each recorded run is in the report once, and nothing outside is called.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { proves } from '../kit/proves.ts'
import { temporaryDataDir } from './processes.ts'
import { holdsForReplays, killWorkersOfReplays, replayEnv, startReplayModel } from './replays.ts'
import { openYard } from './yard.ts'

const dataDir = await temporaryDataDir()
const provider = await startReplayModel(() => 50)
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn', ...replayEnv(provider) }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 1 })
after(async () => {
  await yard.close()
  await provider.close()
  await dataDir.remove()
})

proves(
  'replays.durable',
  'a worker that is killed in the middle loses no run of a replay and repeats none',
  async (t) => {
    const seen = await killWorkersOfReplays(yard, provider, { runbookRuns: 10, modelRuns: 10, kills: 1 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(holdsForReplays(seen), JSON.stringify(seen))
  },
)
