// A working process lets the features tick: side by side, again after a failure, and no more when it stops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/kit/testApp.ts'
import { feature, type Tick } from './feature.ts'
import { announcePresence } from './presence.ts'
import { startWorker } from './worker.ts'

// proves kit.tick
test('each tick has a loop of its own, which a failure does not end and a stop waits for', async () => {
  let failures = 0
  let hasFailedTwice: () => void
  const failedTwice = new Promise<void>((resolve) => (hasFailedTwice = resolve))
  const failing: Tick = async () => {
    failures += 1
    if (failures === 2) hasFailedTwice()
    throw new Error('not this time')
  }
  let hasBegun: () => void
  const begun = new Promise<void>((resolve) => (hasBegun = resolve))
  let ended = 0
  const long: Tick = async ({ signal }) => {
    hasBegun()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    ended += 1
  }
  const features = [feature({ name: 'failing', tick: failing }), feature({ name: 'long', tick: long })]
  const { context, logged } = await testApp({ features })
  const presence = await announcePresence({ address: context.db.address, role: 'worker', log: context.log })
  const worker = await startWorker(context, presence)
  await Promise.all([begun, failedTwice])
  await worker.stop()
  await presence.leave()
  assert.equal(ended, 1, 'what was under way was told to end, and waited for')
  assert.ok(logged.some((line) => line.includes('a tick failed') && line.includes('not this time')))
})
