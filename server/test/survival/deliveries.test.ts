// The short form of the proofs about deliveries; `npm run survive` has the long one.
import assert from 'node:assert/strict'
import { after, afterEach } from 'node:test'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { sufferBadReceivers } from './badReceivers.ts'
import { holdsDelivered, killWhileDelivering } from './deliveries.ts'
import { temporaryDataDir } from './processes.ts'
import { isAlwaysSigned, rotateUnderLoad } from './rotations.ts'
import { bodyOf, openYard } from './yard.ts'
import { proves } from '../kit/proves.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'error', RUNYARD_DRAIN_S: '1' }
const yard = await openYard({ options: { dataDir: dataDir.path, env }, workers: 2 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

/** Each proof counts what its own receivers get. */
afterEach(async () => {
  const path = `/v2/teams/${yard.apis[0]!.teamId}/webhooks`
  const { webhooks } = bodyOf(await yard.call({ path })) as { webhooks: { id: string }[] }
  for (const { id } of webhooks) bodyOf(await yard.call({ method: 'DELETE', path: `${path}/${id}` }))
})

proves(
  'webhooks.survive',
  'who delivers is killed, and the receiver is away: nothing is lost, and first attempts keep their order',
  async (t) => {
    const seen = await killWhileDelivering(yard, { targets: 3, deliveries: 80, kills: 1, pauseMs: 300 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(holdsDelivered(seen), JSON.stringify(seen))
  },
)

proves('webhooks.rotationUnderLoad', 'a secret is rotated under load, and every delivery verifies', async (t) => {
  const seen = await rotateUnderLoad(yard, { rotations: 2, everyMs: 400 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(isAlwaysSigned(seen), JSON.stringify(seen))
})

proves('webhooks.badReceivers', 'a receiver that hangs and a hostile one take nothing from the others', async (t) => {
  const seen = await sufferBadReceivers(yard, { good: 4, runsEach: 10, everyMs: 50 })
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.lost, 0)
  assert.ok(seen.hung > 0 && Object.keys(seen.hostile).length > 0)
})
