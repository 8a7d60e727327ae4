// A hash in steps is the hash of all parts, and a large content takes many short steps.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hashInSteps } from './hashInSteps.ts'
import { takeSteps } from './steps.ts'

const stepsOf = (size: number): number => [...hashInSteps(Buffer.alloc(size))].length + 1

test('the hash in steps is the SHA-256 of the parts, however they are cut', () => {
  const bytes = Buffer.from('something to hash'.repeat(20_000))
  const whole = createHash('sha256').update(bytes).digest('hex')
  for (const at of [0, 1, 65_536, 65_537, bytes.length]) {
    const hashed = takeSteps(hashInSteps(bytes.subarray(0, at), bytes.subarray(at)))
    assert.equal(hashed.toString('hex'), whole, `cut at ${at}`)
  }
  assert.equal(takeSteps(hashInSteps()).toString('hex'), createHash('sha256').digest('hex'))
})

test('a mebibyte is hashed in sixteen steps, and what fits into one step in one', () => {
  assert.deepEqual([1024 * 1024, 64 * 1024, 1].map(stepsOf), [16, 1, 1])
})
