// Forms from the schemas of agents: which fields they get, what is wrong with a value, and that the service takes what is sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAgainst } from '../../../server/src/base/jsonSchema/jsonSchema.ts'
import { fromLocalTime, toLocalTime } from './dateTime.ts'
import { formOf } from './schemaFields.ts'
import { checkForm, emptyForm, filledForm, refusalOf, Unreadable } from './schemaValue.ts'

const supplier = {
  type: 'object',
  properties: {
    note: { type: 'string', title: 'Note for the buyer' },
    terms: { enum: [14, 30, 60], title: 'Payment terms', default: 30 },
    name: { type: 'string', title: 'Legal name', default: 'Paper and Board Works', minLength: 2 },
    limit: { type: 'integer', minimum: 0, maximum: 10_000, multipleOf: 50 },
    vat: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    mail: { type: 'string', format: 'email' },
    isNew: { type: 'boolean' },
    tags: { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 1 },
    address: { $ref: '#/$defs/address' },
    rows: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
    anything: {},
  },
  required: ['name', 'terms', 'vat', 'isNew', 'tags', 'rows'],
  $defs: { address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
}

void test('every kind of field is found, required ones first', () => {
  const form = formOf(supplier)
  assert.ok(form.kind === 'group')
  assert.deepEqual(
    form.fields.map(({ name, kind, isRequired }) => `${name} ${kind}${isRequired ? ' required' : ''}`),
    [
      'name text required',
      'terms choice required',
      'vat text required',
      'isNew choice required',
      'tags choice required',
      'rows list required',
      'note text',
      'limit number',
      'mail text',
      'address group',
      'anything json',
    ],
  )
})

void test('texts that are proposed stand there, and no choice is made beforehand', () => {
  assert.deepEqual(emptyForm(supplier), { name: 'Paper and Board Works', address: {} })
})

void test('what is wrong is said at its field', () => {
  const value = {
    name: 'x',
    limit: 75,
    mail: 'nobody',
    tags: [],
    rows: [{}, { sku: 'a' }],
    address: { city: '' },
    anything: new Unreadable('{'),
  }
  assert.deepEqual(checkForm(supplier, value), {
    name: 'At least 2 characters: this has 1.',
    terms: 'Choose one.',
    isNew: 'Choose one.',
    tags: 'Choose at least one.',
    'rows.0.sku': 'This is needed.',
    limit: 'In steps of 50.',
    mail: 'This is not an e-mail address.',
    anything: 'This is not JSON.',
  })
})

void test('the service takes what a form without problems sends', () => {
  const value = {
    ...(emptyForm(supplier) as object),
    terms: 30,
    isNew: false,
    tags: ['b'],
    limit: 5000,
    note: '',
    rows: [{ sku: 'a' }],
    anything: [1],
  }
  assert.deepEqual(checkForm(supplier, value), {})
  const sent = filledForm(supplier, value)
  assert.deepEqual(sent, {
    name: 'Paper and Board Works',
    terms: 30,
    vat: null,
    isNew: false,
    tags: ['b'],
    rows: [{ sku: 'a' }],
    limit: 5000,
    anything: [1],
  })
  assert.deepEqual(checkAgainst(supplier, sent), { fits: true })
})

void test('a refusal of the service stands at the field that it names', () => {
  assert.deepEqual(refusalOf(supplier, 'values.name must have at most 20 characters.'), {
    name: 'Must have at most 20 characters.',
  })
  assert.deepEqual(refusalOf(supplier, 'values.rows.0.sku must be a string.'), { 'rows.0.sku': 'Must be a string.' })
  assert.deepEqual(refusalOf(supplier, 'values.name, values.terms is missing.'), {
    name: 'This is needed.',
    terms: 'This is needed.',
  })
  assert.deepEqual(refusalOf(supplier, 'The run has ended.'), { '': 'The run has ended.' })
})

void test('a form without fields, or with too many, is one field of JSON', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`f${at}`, { type: 'string' }]))
  for (const schema of [{}, null, true, [], 'x', { type: 'array' }, { type: 'object', properties: many }])
    assert.equal(formOf(schema).kind, 'json')
  assert.deepEqual(checkForm({}, undefined), { '': 'Give a JSON object.' })
  assert.deepEqual(filledForm({}, { a: 1 }), { a: 1 })
})

void test('a schema that turns in circles or has no floor ends in JSON', () => {
  const circle = { type: 'object', properties: { next: { $ref: '#' }, name: { type: 'string' } } }
  assert.equal(formOf(circle).kind, 'group')
  let deep: object = { type: 'string' }
  for (let at = 0; at < 5000; at += 1) deep = { type: 'object', properties: { a: deep } }
  assert.equal(formOf(deep).kind, 'group')
  const wide = { type: 'object', properties: { a: { $ref: '#/properties/a' } } }
  assert.ok(formOf(wide).kind === 'group')
})

void test('many choices are typed, and a name of a prototype is a field like others', () => {
  const schema = {
    type: 'object',
    properties: {
      code: { enum: Array.from({ length: 20_000 }, (_, at) => `c${at}`) },
      ['__proto__']: { type: 'string' },
      constructor: { type: 'string' },
    },
    required: ['constructor'],
  }
  const form = formOf(schema)
  assert.ok(form.kind === 'group')
  assert.equal(form.fields.find(({ name }) => name === 'code')?.kind, 'text')
  assert.deepEqual(checkForm(schema, { code: 'x' }), {
    code: 'This is none of the 20000 values that it can have.',
    constructor: 'This is needed.',
  })
  const sent = filledForm(schema, { constructor: 'a', ['__proto__']: 'b' })
  assert.equal(JSON.stringify(sent), '{"constructor":"a","__proto__":"b"}')
})

void test('a moment goes through the field of the browser and comes out the same', () => {
  assert.equal(toLocalTime('2026-11-17T03:04:05.000Z', 'utc'), '2026-11-17T03:04:05')
  for (const zone of ['utc', 'local'] as const)
    assert.equal(fromLocalTime(toLocalTime('2026-11-17T03:04:05.000Z', zone), zone), '2026-11-17T03:04:05.000Z')
  assert.equal(fromLocalTime('', 'utc'), undefined)
  assert.equal(toLocalTime('tomorrow', 'local'), '')
})
