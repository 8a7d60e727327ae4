// Only what is whole is called 100 %.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percent } from './percent.ts'

test('a share that is nearly whole is not rounded up to it', () => {
  assert.equal(percent(0.999), '99 %')
  assert.equal(percent(1), '100 %')
  assert.equal(percent(0.916), '92 %')
  assert.equal(percent(null), 'unknown')
})
