// A lane that pauses between its flushes, by a clock that stands still until the test moves it.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { createLane } from './lane.ts'

proves('lanes.pause', 'between two writes is a pause, and what arrives in it shares the next one', async (t) => {
  let now = 1000
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const flushed: number[][] = []
  const lane = createLane<number, void>({
    flush: async (ops) => {
      flushed.push(ops)
      return ops.map(() => undefined)
    },
    keyOf: String,
    teamOf: () => 'one',
    flushesMax: 1,
    pauseMs: 25,
  })
  await lane.add(1)
  await Promise.resolve()
  const others = Promise.all([lane.add(2), lane.add(3)])
  now += 24
  t.mock.timers.tick(24)
  assert.deepEqual(flushed, [[1]], 'nobody waits for the first, and the next waits for the pause')
  now += 1
  t.mock.timers.tick(1)
  await others
  assert.deepEqual(flushed, [[1], [2, 3]])
  now += 25
  await lane.add(4)
  assert.deepEqual(flushed.at(-1), [4], 'after a quiet time nobody waits')
})
