// Memory of a process that rests: when it is given back, and that it is.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { giveMemoryBack, watchRestingMemory } from './restingMemory.ts'

const mb = 2 ** 20

function watched() {
  const state = { now: 0, rss: 300 * mb, heapUsed: 150 * mb, times: 0 }
  const memory = watchRestingMemory({
    now: () => state.now,
    memory: () => ({ rss: state.rss, heapUsed: state.heapUsed }),
    giveBack() {
      state.times += 1
      state.rss = 180 * mb
    },
  })
  /** The process took this much of a core for so many seconds. */
  const pass = (seconds: number, percent: number) => {
    for (let second = 0; second < seconds; second += 5) {
      state.now += 5000
      memory.note(percent)
    }
  }
  return { state, pass }
}

proves('process.restingMemory', 'it is given back after a rest, and again only when much was taken since', () => {
  const { state, pass } = watched()
  pass(20, 1)
  assert.equal(state.times, 0, 'it has not rested for long enough')
  pass(5, 1)
  assert.equal(state.times, 1)
  state.rss += 30 * mb
  pass(60, 1)
  assert.equal(state.times, 1, 'little was taken since')
  state.rss += 100 * mb
  pass(60, 1)
  assert.equal(state.times, 2)
})

proves('process.restingMemory', 'the time is counted from the end of the last work', () => {
  const { state, pass } = watched()
  for (let round = 0; round < 5; round++) {
    pass(15, 1)
    pass(5, 40)
  }
  assert.equal(state.times, 0)
})

proves('process.restingMemory', 'a large heap in use is left alone, whose collection would take long', () => {
  const { state, pass } = watched()
  state.heapUsed = 500 * mb
  pass(120, 0)
  assert.equal(state.times, 0)
})

proves('process.restingMemory', 'what is no longer in use goes back to the machine', () => {
  const taken = { held: Array.from({ length: 400_000 }, (_, index) => ({ index, text: `object ${index}` })) }
  const { heapTotal } = process.memoryUsage()
  taken.held = []
  giveMemoryBack()
  assert.ok(process.memoryUsage().heapTotal < heapTotal - 20 * mb)
  assert.equal(globalThis.gc, undefined, 'nothing else can collect')
})
