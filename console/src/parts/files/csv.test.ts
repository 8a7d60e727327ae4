// Separated values become rows as people meant them, and never more than the page can draw.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTable, separatorOf } from './csv.ts'

test('quotes hold separators, lines and quotes', () => {
  const { rows } = readTable('a,b\r\n"one, two","say ""hi""\nagain"\n,\n', ',')
  assert.deepEqual(rows, [
    ['a', 'b'],
    ['one, two', 'say "hi"\nagain'],
    ['', ''],
  ])
})

test('a last line without an end and a quote that is never closed are still rows', () => {
  assert.deepEqual(readTable('a\n"b', ',').rows, [['a'], ['b']])
  assert.deepEqual(readTable('', ',').rows, [])
})

test('rows and columns have bounds, and say so', () => {
  const { rows, isCut } = readTable('x\n'.repeat(50), ',', 10)
  assert.equal(rows.length, 10)
  assert.equal(isCut, true)
  assert.equal(readTable('x\n'.repeat(10), ',', 10).isCut, false)
  assert.equal(readTable(','.repeat(500), ',', 10, 20).rows[0]?.length, 20)
})

test('the separator is found from the first line', () => {
  assert.equal(separatorOf('a;b;c\n1,5;2;3'), ';')
  assert.equal(separatorOf('a\tb,c\td'), '\t')
  assert.equal(separatorOf('plain'), ',')
})
