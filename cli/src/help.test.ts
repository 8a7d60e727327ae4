// Help and sentences fit a terminal of 80 columns.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { wrapped } from './help.ts'

proves('cli.help', 'a long sentence breaks between words, and a short one stays as it is', () => {
  assert.equal(wrapped('Nothing differs.\n    at a line of a stack'), 'Nothing differs.\n    at a line of a stack')
  const words = Array.from({ length: 40 }, (_, index) => `word-${index}`)
  const lines = wrapped(words.join(' ')).split('\n')
  assert.ok(lines.length > 1)
  for (const line of lines) assert.ok(line.length <= 80 && !/^ | $/.test(line))
  assert.deepEqual(lines.join(' ').split(' '), words)
})
