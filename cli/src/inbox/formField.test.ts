// The fields of a form: what is asked for, and which value a typed text stands for.
import assert from 'node:assert/strict'
import { proves } from '../../../server/test/kit/proves.ts'
import { fieldsOf, textOf, valueOf, type Field } from './formField.ts'

const fieldOf = (schema: unknown): Field =>
  fieldsOf({ properties: { it: schema } })[0] ?? assert.fail('the form has no field')

const labels = (schema: unknown) => fieldOf(schema).options?.map(({ label }) => label)

proves('cli.forms', 'needed fields come first, and each says what it takes', () => {
  const fields = fieldsOf({
    required: ['b', 'missing', 'a'],
    properties: { c: true, a: { type: 'integer' }, b: { type: 'string', title: 'Be\u001b[2J' } },
  })
  assert.deepEqual(
    fields.map(({ label, isRequired, takes }) => [label, isRequired, takes]),
    [
      ['Be [2J', true, ''],
      ['a', true, 'a whole number'],
      ['c', false, ''],
    ],
  )
  assert.deepEqual(labels({ enum: ['x', 2, null] }), ['x', '2', 'null'])
  assert.deepEqual(labels({ oneOf: [{ const: 'x', title: 'An X' }, { const: 'y' }] }), ['An X', 'y'])
  assert.deepEqual(labels({ type: 'boolean' }), ['yes', 'no'])
  assert.deepEqual(labels({ type: 'array', items: { enum: ['x'] } }), ['x'])
  assert.equal(labels({ oneOf: [{ type: 'string' }] }), undefined)
  for (const broken of [null, 'text', { properties: { it: 5 } }, { required: [1], properties: { it: null } }])
    assert.ok(fieldsOf(broken).length < 2)
})

proves('cli.forms', 'a typed text becomes the value of its type, or a reason', () => {
  const typed: [unknown, string, unknown][] = [
    [{ type: 'string' }, '12', '12'],
    [{}, 'text', 'text'],
    [{ type: 'number' }, ' 1.5 ', 1.5],
    [{ type: 'integer', maximum: 3 }, '3', 3],
    [{ type: ['integer', 'null'] }, '3', 3],
    [{ type: 'array', items: { type: 'string' } }, 'a, b,', ['a', 'b']],
    [{ type: 'array', items: { type: 'integer' } }, '1,2', [1, 2]],
    [{ type: 'array', items: { type: 'string' } }, '["a,b"]', ['a,b']],
    [{ type: 'object' }, '{"a":1}', { a: 1 }],
    // a reference leads out of the field: the service checks it
    [{ $ref: '#/$defs/x' }, '5', 5],
  ]
  for (const [schema, text, value] of typed) assert.deepEqual(valueOf(fieldOf(schema), text), { value }, text)
  const wrong: [unknown, string, RegExp][] = [
    [{ type: 'integer' }, 'many', /^it must be a whole number\.$/],
    [{ type: 'integer' }, '1.5', /^it must be/],
    [{ type: 'integer', maximum: 3 }, '4', /^it must .*3/],
    [{ type: 'string', minLength: 3 }, 'ab', /3 characters/],
    [{ type: 'array', items: { type: 'number' } }, '1, two', /it must be a number, or several with commas/],
    [{ type: 'object' }, '{', /must be JSON/],
  ]
  for (const [schema, text, says] of wrong) {
    const given = valueOf(fieldOf(schema), text)
    assert.match('problem' in given ? given.problem : assert.fail(`${text} was taken`), says)
  }
  assert.deepEqual([textOf(['a', 'b']), textOf('x'), textOf(1), textOf({ a: 1 })], ['a, b', 'x', '1', '{"a":1}'])
})
