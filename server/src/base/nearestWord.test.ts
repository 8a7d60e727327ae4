// Which word of a list is meant by one that is not in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestWord } from './nearestWord.ts'

test('one letter wrong, missing, added or swapped is enough to know the word', () => {
  const known = ['http', 'python', 'on_error', 'browser']
  for (const [word, meant] of [
    ['htpp', 'http'],
    ['pyhton', 'python'],
    ['onerror', 'on_error'],
    ['browserr', 'browser'],
    ['HTTP', 'http'],
  ] as const)
    assert.equal(nearestWord(word, known), meant)
})

test('a word that is not near, near to two words, or too long is nobody’s misspelling', () => {
  assert.equal(nearestWord('json', ['http', 'bash']), undefined)
  assert.equal(nearestWord('lost', ['list', 'last']), undefined)
  assert.equal(nearestWord('', ['a']), undefined)
  assert.equal(nearestWord('x'.repeat(65), ['x'.repeat(64)]), undefined)
})
