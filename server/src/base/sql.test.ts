// Statements made of parts: the right text and parameters for every shape, and one statement per shape.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { empty, flatten, joined, literals, part, word, wordList, type Part } from './sql.ts'
import { proves } from '../../test/kit/proves.ts'

const flat = (strings: TemplateStringsArray, ...values: unknown[]) => flatten(strings, values)
const ask = (first: unknown, second: unknown) => flat`select ${first}, ${second}`
const piece = (value: number): Part => part`f(${value})`

proves('sql.parts', 'parts become text, values become parameters, numbered in order through every level', () => {
  const inner = part`b = ${2} and ${part`c in (${3}, ${4})`}`
  const { statement, parameters } = flat`select ${1} where ${inner} or ${empty} d = ${5}`
  assert.equal(statement.text, 'select $1 where b = $2 and c in ($3, $4) or  d = $5')
  assert.deepEqual(parameters, [1, 2, 3, 4, 5])
})

proves(
  'sql.parts',
  'one template gives one statement per shape: a value and a part in the same hole never share a text',
  () => {
    const texts = [
      [ask(1, 2), 'select $1, $2'],
      [ask(piece(1), 2), 'select f($1), $2'],
      [ask(1, piece(2)), 'select $1, f($2)'],
      [ask(piece(1), piece(2)), 'select f($1), f($2)'],
      [ask(empty, 2), 'select , $1'],
    ] as const
    for (const [{ statement }, text] of texts) assert.equal(statement.text, text)
    assert.equal(ask(piece(7), 8).statement, texts[1][0].statement)
    assert.deepEqual(ask(piece(7), 8).parameters, [7, 8])
    assert.equal(new Set(texts.map(([{ statement }]) => statement.name)).size, texts.length)
  },
)

test('null and undefined are values like any other', () => {
  assert.deepEqual(flat`select ${null}, ${undefined}`.parameters, [null, undefined])
})

proves('sql.parts', 'words of the program become text, and a text that is not such a word is refused', () => {
  const set = joined([part`${word('display_status')} = ${1}`, part`${word('reason')} = ${2}`])
  const { statement, parameters } = flat`set ${set} where state in ${wordList(['new', 'cut_off'])}`
  assert.equal(statement.text, "set display_status = $1, reason = $2 where state in ('new', 'cut_off')")
  assert.deepEqual(parameters, [1, 2])
  assert.equal(literals(['new', 'cut_off']), literals(['new', 'cut_off']), 'the same part, so the same shape')
  for (const hostile of ["it's", 'a b', 'A', '', 'x;', '1']) {
    assert.throws(() => word(hostile), /is not a word/)
    assert.throws(() => literals([hostile]), /is not a word/)
  }
  assert.throws(() => wordList([]), /is empty/)
})
