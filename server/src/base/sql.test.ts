// Statements made of parts: the right text and parameters for every shape, and one statement per shape.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { empty, flatten, part, type Part } from './sql.ts'
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
