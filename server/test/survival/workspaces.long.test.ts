// Workspaces outlive the workers that write them.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { temporaryDataDir } from './processes.ts'
import { isKept, killFileWork } from './workspaces.ts'
import { openYard } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

proves(
  'workspace.killed',
  'workers killed in the middle of file work leave workspaces as their last committed commands did',
  async (t) => {
    const seen = await killFileWork(yard, { runs: 3, atOnce: 3, steps: 3, kills: 1, killsBetween: 1, pauseMs: 500 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.kills >= 1 && seen.killsBetween >= 1 && seen.commands >= 9)
    assert.ok(isKept(seen))
  },
)
