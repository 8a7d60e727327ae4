// The ages of open cases in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agesOf } from './ages.ts'

void test('each age has its bounds in words and the sum of its open cases', () => {
  const none = { pending: 0, in_progress: 0, needs_input: 0, postponed: 0 }
  const ages = agesOf([
    { from_seconds: 0, until_seconds: 3600, ...none, pending: 2, needs_input: 1 },
    { from_seconds: 86_400, until_seconds: 259_200, ...none },
    { from_seconds: 2_592_000, until_seconds: null, ...none, postponed: 4 },
  ])
  assert.deepEqual(
    ages.map(({ says, long, total }) => [says, long, total]),
    [
      ['< 1 h', 'made in the last 1 h', 3],
      ['< 3 d', 'made 1 d to 3 d ago', 0],
      ['> 30 d', 'made more than 30 d ago', 4],
    ],
  )
})
