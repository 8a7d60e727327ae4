// What a retry repeats is counted by tool, and nothing is left out of the sum.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRepeats } from './repeats.ts'

const call = (tool: string) => ({ seq: 1, kind: 'tool' as const, tool })

test('calls are counted by tool, the most frequent first', () => {
  const repeats = [
    call('file_write'),
    call('http_request'),
    call('http_request'),
    { seq: 1, kind: 'model' as const, tool: null },
  ]
  assert.deepEqual(describeRepeats({ repeats, repeats_total: 4 }), [
    'http_request × 2',
    'file_write × 1',
    'turns of the model × 1',
  ])
})

test('what is not named is still counted', () => {
  const repeats = Array.from('abcdefgh', call)
  assert.equal(describeRepeats({ repeats, repeats_total: 500 }).at(-1), '494 more')
})
