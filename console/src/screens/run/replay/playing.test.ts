// The picture that is shown follows the step, and the film plays at the pace of the run, within bounds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentOf, nextSpeed, stayMs, type Shot } from './playing.ts'

const shots: Shot[] = [
  { seq: 1, step: 4, offset_ms: 0 },
  { seq: 2, step: 5, offset_ms: 10 },
  { seq: 3, step: 5, offset_ms: 1010 },
  { seq: 4, step: 9, offset_ms: 3_600_000 },
]

test('the chosen picture goes before the step, the step before the beginning', () => {
  assert.equal(currentOf(shots, { picture: 3, step: 4 }), 2)
  assert.equal(currentOf(shots, { step: 5 }), 1)
  assert.equal(currentOf(shots, { step: 7 }), 2)
  assert.equal(currentOf(shots, { step: 2 }), 0)
  assert.equal(currentOf(shots, { picture: 99 }), 0)
  assert.equal(currentOf(shots, {}, true), 3)
  assert.equal(currentOf([], {}, true), 0)
})

test('a long pause is shortened, a short one is long enough to see', () => {
  assert.equal(stayMs(shots, 0, 1), 250)
  assert.equal(stayMs(shots, 1, 1), 1000)
  assert.equal(stayMs(shots, 1, 2), 500)
  assert.equal(stayMs(shots, 2, 1), 2500)
  assert.equal(nextSpeed(4), 0.5)
})
