// A limit in a process that stands still: only the time in which it runs counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { awakeTimer } from './awakeTimer.ts'

/** Blocks this process for so many milliseconds. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a pause of the process does not use up the time, and what is left of it does', async () => {
  const startedAt = performance.now()
  const isOver = Promise.withResolvers<void>()
  let hasFired = false
  awakeTimer(() => {
    hasFired = true
    isOver.resolve()
  }, 200)
  standStill(400)
  await nextTurn()
  await nextTurn()
  assert.equal(hasFired, false)
  await isOver.promise
  assert.ok(performance.now() - startedAt > 400 + 100)
})

test('a process that is busy, and whose turns are longer than a step, is given some thirty turns and no more', async () => {
  const over = new AbortController()
  awakeTimer(() => over.abort(), 200)
  let turns = 0
  while (!over.signal.aborted) {
    standStill(15)
    await nextTurn()
    turns += 1
  }
  assert.ok(turns >= 29 && turns <= 35, `${turns} turns`)
})

test('who ends it in time is not called any more, in its last turn either', async () => {
  let calls = 0
  const end = awakeTimer(() => (calls += 1), 1)
  end()
  const ends = Array.from({ length: 20 }, () => awakeTimer(() => (calls += 1), 1))
  standStill(5)
  for (const one of ends) one()
  for (let turn = 0; turn < 5; turn++) await nextTurn()
  assert.equal(calls, 0)
})
