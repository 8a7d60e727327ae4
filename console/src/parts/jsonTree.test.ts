// JSON of any size: what is open at first, what stands on a line, and text that is laid out without being read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barsOf, groupsOf } from './hashStripe.ts'
import { jsonLines } from './jsonText.ts'
import { isBranch, lineOf, openAtFirst, previewOf, type Branch } from './jsonTree.ts'
import { quoted, visible } from './visibleText.ts'

const linesOf = (text: string): string[] | undefined =>
  jsonLines(text)?.map(({ depth, pieces }) => ' '.repeat(depth) + pieces.map((piece) => piece.text).join(''))

const lineText = (value: Branch): string | undefined =>
  lineOf(value)
    ?.map((piece) => piece.text)
    .join('')

void test('a small value is open whole, of a large one only the outside', () => {
  const small = { a: { b: [1, { c: { d: { e: ['x'.repeat(80)] } } }] } }
  const rows = openAtFirst(small, 100)
  assert.ok(rows.has(small) && rows.has(small.a) && rows.has(small.a.b))
  const large = { list: Array.from({ length: 5000 }, (_, at) => ({ at, text: 'x'.repeat(70) })) }
  assert.equal(openAtFirst(large, 50).size, 1)
})

void test('a value nested thousands of levels deep does not end the page', () => {
  let deep: unknown = 'x'.repeat(100)
  for (let at = 0; at < 20_000; at += 1) deep = [deep]
  assert.ok(isBranch(deep))
  assert.ok(openAtFirst(deep, 150).size < 20)
})

void test('a few plain values stand on one line', () => {
  assert.equal(lineText({ amount: 5, currency: 'EUR' }), '{"amount": 5, "currency": "EUR"}')
  assert.equal(lineText(['a', []]), '["a", []]')
  assert.equal(lineText({ id: 1, values: [1, { a: [] }] }), '{"id": 1, "values": [1, {"a": []}]}')
  assert.equal(lineText([[[['too deep']]]]), undefined)
  assert.equal(lineText({ a: 'x'.repeat(100) }), undefined)
})

void test('what is folded shows its beginning', () => {
  const preview = previewOf({ id: 4, name: 'x', rows: [[[[1]]]], more: 'y' })
  assert.equal(preview.map((piece) => piece.text).join(''), '"id": 4, "name": "x", … ')
})

void test('JSON text keeps its numbers, escapes and repeated keys', () => {
  assert.deepEqual(linesOf('{"amount":412.50,"amount":1e3,"n":"\\u0041","e":{},"l":[1, [ ]]}'), [
    '{',
    ' "amount": 412.50,',
    ' "amount": 1e3,',
    ' "n": "\\u0041",',
    ' "e": {},',
    ' "l": [',
    '  1,',
    '  []',
    ' ]',
    '}',
  ])
  assert.equal(jsonLines('{"a": tru}'), undefined)
  assert.equal(jsonLines('a=b'), undefined)
})

void test('what is invisible or turns the order around is written out', () => {
  assert.equal(visible('pay \u202e001 \u200bEUR\n'), 'pay \\u202e001 \\u200bEUR\n')
  assert.equal(quoted('a\u2066b"\ud800'), '"a\\u2066b\\"\\ud800"')
  assert.equal(visible('\u{e0041}'), '\\udb40\\udc41')
  assert.equal(visible('Größe 寸法 😀'), 'Größe 寸法 😀')
})

void test('the same hash has the same stripe, another one another', () => {
  const hash = '9f3ac07be41d5582a6017cd2e9b84f11'
  assert.equal(groupsOf(hash), '9f3a c07b e41d 5582 a601 7cd2 e9b8 4f11')
  assert.equal(barsOf(hash).length, 22)
  assert.deepEqual(barsOf(hash), barsOf(hash.toUpperCase()))
  assert.notDeepEqual(barsOf(hash), barsOf(hash.replace('9', '8')))
  assert.deepEqual(barsOf('not a hash'), [])
})
