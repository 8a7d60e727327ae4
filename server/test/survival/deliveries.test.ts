// The short form of the proofs about deliveries; `npm run survive` has the long one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sufferBadReceivers } from './badReceivers.ts'
import { holdsDelivered, killWhileDelivering } from './deliveries.ts'
import { temporaryDataDir } from './processes.ts'
import { isAlwaysSigned, rotateUnderLoad } from './rotations.ts'
import { openYard, type Yard } from './yard.ts'

async function inYard<Counts extends object>(workers: number, prove: (yard: Yard) => Promise<Counts>): Promise<Counts> {
  const dataDir = await temporaryDataDir()
  const yard = await openYard({
    options: { dataDir: dataDir.path, env: { LOG_LEVEL: 'error', RUNYARD_DRAIN_S: '1' } },
    workers,
  })
  try {
    return await prove(yard)
  } finally {
    await yard.close()
    await dataDir.remove()
  }
}

// proves webhooks.survive
test('who delivers is killed, and the receiver is away: nothing is lost, and first attempts keep their order', async (t) => {
  const seen = await inYard(2, (yard) =>
    killWhileDelivering(yard, { targets: 3, deliveries: 400, kills: 4, pauseMs: 300 }),
  )
  t.diagnostic(JSON.stringify(seen))
  assert.ok(holdsDelivered(seen), JSON.stringify(seen))
})

// proves webhooks.badReceivers
test('a receiver that hangs and a hostile one take nothing from the others', async (t) => {
  const seen = await inYard(1, (yard) => sufferBadReceivers(yard, { good: 6, runsEach: 20, everyMs: 50 }))
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.lost, 0)
  assert.ok(seen.hung > 0 && Object.keys(seen.hostile).length > 0)
})

// proves webhooks.rotationUnderLoad
test('a secret is rotated under load, and every delivery verifies', async (t) => {
  const seen = await inYard(1, (yard) => rotateUnderLoad(yard, { rotations: 3, everyMs: 700 }))
  t.diagnostic(JSON.stringify(seen))
  assert.ok(isAlwaysSigned(seen), JSON.stringify(seen))
})
