// Acknowledged writes outlive kill -9 of the service and of its database together.
import assert from 'node:assert/strict'
import { killEverything } from './durability.ts'
import { preparedDataDir } from './processes.ts'
import { proves } from '../kit/proves.ts'

proves(
  'durable.killed',
  'kill -9 of the whole process tree during writes loses nothing that was acknowledged',
  async (t) => {
    const dataDir = await preparedDataDir()
    const seen = await killEverything(dataDir.path, { rounds: 1, writesPerRound: 100 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.acknowledged >= 100)
    assert.equal(seen.lost, 0)
    await dataDir.remove()
  },
)
