// JSON Schemas of tenants: the answers equal those of the compiled checker of our own schemas, and the number of steps is bounded.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { Check } from 'typebox/schema'
import {
  anyDocument,
  anyValue,
  costlySchemas,
  doublingChain,
  refusedSchemas,
} from '../../../test/fuzz/hostileSchemas.ts'
import { checkAgainst, keysTo, schemaProblems } from './jsonSchema.ts'
import { proves } from '../../../test/kit/proves.ts'

const fits = (schema: Record<string, unknown>, value: unknown): boolean => {
  const checked = checkAgainst(schema, value)
  assert.ok(!('broken' in checked), JSON.stringify([schema, checked]))
  return 'fits' in checked
}

proves('bounds.schemas', 'a value fits a schema exactly when the checker of our own schemas says so', () => {
  let fitting = 0
  let others = 0
  fc.assert(
    fc.property(anyDocument, fc.array(anyValue, { minLength: 1, maxLength: 4 }), (schema, values) => {
      for (const value of values) {
        const isFitting = fits(schema, value)
        if (isFitting) fitting += 1
        else others += 1
        assert.equal(isFitting, Check(schema, value), JSON.stringify([schema, value]))
      }
    }),
    { numRuns: 800, seed: 20_261_116 },
  )
  assert.ok(!fits({ required: ['toString'] }, {}), 'only own properties count')
  assert.ok(fitting > 400 && others > 400, `${fitting} fit, ${others} do not`)
})

proves(
  'bounds.schemas',
  'what no property and no item has looked at is refused by unevaluatedProperties and unevaluatedItems',
  () => {
    const closed = {
      allOf: [{ properties: { a: true } }],
      anyOf: [
        { properties: { b: { type: 'string' } }, required: ['b'] },
        { properties: { c: true }, required: ['c'] },
      ],
      unevaluatedProperties: false,
    }
    assert.ok(fits(closed, { a: 1, b: 'x' }))
    assert.ok(fits(closed, { a: 1, b: 'x', c: 1 }))
    assert.ok(!fits(closed, { a: 1, b: 'x', d: 1 }))
    assert.ok(!fits(closed, { b: 1, c: 1 }), 'a branch that does not fit has looked at nothing')
    const list = { prefixItems: [{ type: 'number' }], contains: { type: 'string' }, unevaluatedItems: false }
    assert.ok(fits(list, [1, 'a', 'b']))
    assert.ok(!fits(list, [1, 'a', 2]))
  },
)

const told = (schema: Record<string, unknown>, value: unknown): string => {
  const checked = checkAgainst(schema, value)
  assert.ok('misfit' in checked, JSON.stringify(checked))
  return `${keysTo(checked.misfit.place).join('.')} ${checked.misfit.message}`
}

proves('bounds.schemas', 'a misfit names its place and its reason', () => {
  const lines = { properties: { lines: { items: { properties: { sku: { type: 'string' } }, required: ['sku'] } } } }
  assert.equal(told(lines, { lines: [{ sku: 'a' }, { sku: 7 }] }), 'lines.1.sku must be string')
  assert.equal(told(lines, { lines: [{}] }), 'lines.0 must have sku')
  assert.equal(told({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5), ' must be string or null')
  assert.equal(told({ additionalProperties: false }, { x: 1 }), 'x must not be given: the schema does not name it')
  const kinds = { oneOf: [{ type: 'string' }, { properties: { size: { minimum: 2 } } }] }
  assert.equal(told(kinds, { size: 1 }), 'size must be >= 2')
})

proves(
  'bounds.schemas',
  'a schema that would take for ever is reported as broken, and every check ends within its steps',
  () => {
    for (const { name, schema, value } of costlySchemas) {
      assert.deepEqual(schemaProblems(schema), [], name)
      const checked = checkAgainst(schema, value)
      assert.ok(Object.keys(checked).length === 1, name)
    }
    for (const levels of [24, 40, 60]) {
      const checked = checkAgainst(doublingChain(levels), 'text')
      assert.ok('broken' in checked && checked.broken.includes('takes too long'), JSON.stringify(checked))
    }
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown
    const nested = checkAgainst({ $id: 'deep', items: { $ref: 'deep' } }, deep)
    assert.ok('broken' in nested && nested.broken.includes('nested too deeply'))
    const compared = checkAgainst({ uniqueItems: true }, [deep])
    assert.ok('broken' in compared && compared.broken.includes('nested too deeply'))
  },
)

proves('bounds.schemas', 'a value of a megabyte fits an ordinary schema within its steps', () => {
  const schema = {
    type: 'array',
    items: {
      type: 'object',
      required: ['id', 'email'],
      properties: {
        id: { type: 'integer' },
        email: { type: 'string', pattern: '^[^@]+@[^@]+$' },
        tag: { enum: ['a', 'b'] },
      },
      additionalProperties: false,
    },
  }
  const value = Array.from({ length: 15_000 }, (_, id) => ({ id, email: `person-${id}@example.com`, tag: 'b' }))
  assert.deepEqual(checkAgainst(schema, value), { fits: true })
  const text = 'a line of text\n'.repeat(35_000)
  assert.deepEqual(checkAgainst({ pattern: '^[^#]+$', minLength: 1 }, text), { fits: true })
})

proves('bounds.schemas', 'a schema that cannot be used is refused with the place of each problem', () => {
  for (const { schema, path } of refusedSchemas) {
    const [first] = schemaProblems(schema)
    assert.equal(first?.path, path, JSON.stringify(schema).slice(0, 200))
    assert.ok(first.message.length > 5)
    assert.ok('broken' in checkAgainst(schema, {}))
  }
  const two = { properties: { a: { pattern: '(' }, b: { $ref: '#/no' } }, $defs: { unused: { pattern: '[' } } }
  assert.deepEqual(
    schemaProblems(two).map(({ path }) => path),
    ['/$defs/unused/pattern', '/properties/a/pattern', '/properties/b/$ref'],
  )
})

proves('bounds.schemas', 'references lead to pointers, anchors and ids inside the document', () => {
  const schema = {
    $id: 'https://example.com/root.json',
    properties: {
      pointer: { $ref: '#/$defs/a~1b' },
      anchor: { $ref: '#named' },
      id: { $ref: 'part.json' },
      inside: { $ref: 'https://example.com/part.json#/$defs/deep' },
      whole: { $ref: '#' },
    },
    $defs: {
      'a/b': { type: 'number' },
      named: { $anchor: 'named', type: 'boolean' },
      part: { $id: 'part.json', type: 'string', $defs: { deep: { type: 'null' } } },
    },
  }
  assert.ok(fits(schema, { pointer: 1, anchor: true, id: 'x', inside: null, whole: { pointer: 2 } }))
  for (const wrong of [{ pointer: 'x' }, { anchor: 1 }, { id: 1 }, { inside: 1 }, { whole: { pointer: 'x' } }]) {
    assert.ok(!fits(schema, wrong), JSON.stringify(wrong))
  }
})

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `name${n}`)
const wide = Object.fromEntries(namesOf(20_000).map((name) => [name, 1]))
const repeated = (part: Record<string, unknown>) => ({
  $defs: { part },
  allOf: Array.from({ length: 2000 }, () => ({ $ref: '#/$defs/part' })),
})

function assertTooLong(schema: Record<string, unknown>, value: unknown): void {
  assert.deepEqual(schemaProblems(schema), [])
  const checked = checkAgainst(schema, value)
  assert.ok('broken' in checked && checked.broken.includes('takes too long'), JSON.stringify(checked).slice(0, 200))
}

proves('bounds.schemas', 'every listing of the properties of a large object is paid for', () => {
  for (const part of [
    { minProperties: 1 },
    { maxProperties: 1_000_000 },
    { patternProperties: { '^x': true } },
    { not: { propertyNames: false } },
    { not: { additionalProperties: false } },
    { not: { unevaluatedProperties: false } },
    { not: { const: { other: 1 } } },
  ]) {
    assertTooLong(repeated(part), wide)
  }
  assert.deepEqual(checkAgainst({ minProperties: 1, propertyNames: { maxLength: 9 } }, wide), { fits: true })
  assert.deepEqual(checkAgainst(repeated({ type: 'object' }), wide), { fits: true })
})

proves(
  'bounds.schemas',
  'required names are paid for where they are missing too, and a misfit names only the first of them',
  () => {
    const required = namesOf(5000)
    for (const part of [{ required }, { dependentRequired: { a: required } }]) {
      assertTooLong(repeated({ not: part }), { a: 1 })
      const checked = checkAgainst(part, { a: 1 })
      assert.ok('misfit' in checked)
      assert.deepEqual(checked.misfit.missing, required.slice(0, 20))
    }
    // few names, but long ones
    assertTooLong(repeated({ not: { required: namesOf(10).map((name) => name.padEnd(10_000, 'x')) } }), {})
  },
)

const each = (count: number, patternOf: (n: number) => string) => ({
  prefixItems: Array.from({ length: count }, (_, n) => ({ pattern: patternOf(n) })),
})

proves(
  'bounds.schemas',
  'the patterns of one schema are bounded together, and a pattern that it has twice counts once',
  () => {
    const [large] = schemaProblems(each(20, (n) => `^a{3900}${n}$`))
    assert.equal(large?.path, '/prefixItems/12/pattern')
    assert.match(large.message, /more than 50000 instructions/)
    const [unicode] = schemaProblems(each(30, (n) => `^\\p{L}${n}$`))
    assert.equal(unicode?.path, '/prefixItems/20/pattern')
    assert.match(unicode.message, /more than 20 properties of Unicode/)
    const [name] = schemaProblems({ patternProperties: { [`^${'\\p{L}'.repeat(21)}$`]: true } })
    assert.match(name?.path ?? '', /^\/patternProperties\//)
    assert.deepEqual(schemaProblems(each(500, () => '^\\p{L}a{3900}$')), [])
  },
)

proves('bounds.schemas', 'addresses of parts are short, also where each of them adds to the one around it', () => {
  const long = 'x'.repeat(2001)
  const problems = schemaProblems({
    properties: { id: { $id: `https://example.com/${long}`, $ref: '#' }, reference: { $ref: `#${long}` } },
  })
  assert.deepEqual(problems, [
    { path: '/properties/id/$id', message: 'makes a URI of more than 2000 characters' },
    { path: '/properties/reference/$ref', message: 'is longer than 2000 characters' },
  ])
  let nested: Record<string, unknown> = {}
  for (let level = 0; level < 3; level += 1) nested = { $id: `${'y'.repeat(900)}/`, not: nested }
  assert.deepEqual(
    schemaProblems(nested).map(({ path }) => path),
    ['/not/not/$id'],
  )
})
