// The input of a run: what a form made from the procedure's inputs sends, and how it turns into text and JSON and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftOf, inKind, kindsFor, messageOfDraft, type MessageDraft } from './message.ts'

const schema = {
  type: 'object',
  properties: {
    invoice: { type: 'string' },
    amount: { type: 'number' },
    tag: {},
    order: { type: 'object', properties: { id: {} } },
    rows: { type: 'array', items: {} },
    name: { type: 'string', default: 'you' },
  },
  required: ['invoice'],
}
const form = (value: unknown): MessageDraft => ({ kind: 'form', value })
const sent = (value: unknown) => messageOfDraft(form(value), schema).message

test('a form is offered where the procedure reads fields', () => {
  assert.deepEqual(kindsFor(schema), ['form', 'text', 'json'])
  assert.deepEqual(kindsFor({ type: 'object', properties: {} }), ['text', 'json'])
  assert.deepEqual(kindsFor(undefined), ['text', 'json'])
  assert.deepEqual(draftOf(undefined, schema), form({ order: {}, name: 'you' }))
  assert.deepEqual(draftOf(undefined, undefined), { kind: 'text', text: '' })
  assert.deepEqual(draftOf('Do it', schema), { kind: 'text', text: 'Do it' })
})

test('a field that can be anything is sent as what it looks like, and text where its digits would change', () => {
  const tags: [string, unknown][] = [
    ['5', 5],
    ['-1.5', -1.5],
    ['true', true],
    ['null', null],
    ['"5"', '5'],
    ['{"a": [1]}', { a: [1] }],
    ['0123', '0123'],
    ['1.50', '1.50'],
    ['12345678901234567890', '12345678901234567890'],
    ['{{ x }}', '{{ x }}'],
    ['2026-07-18', '2026-07-18'],
    ['true story', 'true story'],
  ]
  for (const [typed, value] of tags) assert.deepEqual(sent({ invoice: 'a', tag: typed }), { invoice: 'a', tag: value })
  assert.deepEqual(sent({ invoice: '5', order: { id: '7' } }), { invoice: '5', order: { id: 7 } })
})

test('a needed field that is empty is a problem at the field', () => {
  assert.deepEqual(messageOfDraft(form({}), schema), { problems: { invoice: 'This is needed.' } })
  assert.deepEqual(messageOfDraft(form({ invoice: 'x' }), schema), { problems: {}, message: { invoice: 'x' } })
})

test('a message survives the way into the form and back, with what the procedure does not read', () => {
  const message = {
    invoice: '47',
    amount: 12,
    tag: '5',
    order: { id: { deep: true } },
    rows: [1, 'two', '3'],
    other: { kept: [1] },
  }
  const draft = draftOf(message, schema)
  assert.equal(draft.kind, 'form')
  assert.deepEqual(messageOfDraft(draft, schema).message, message)
})

test('the input stays the same when it is written in another way', () => {
  const message = { invoice: '47', tag: 5 }
  const asJson = inKind(draftOf(message, schema), 'json', schema)
  assert.deepEqual(messageOfDraft(asJson, schema), { message })
  const back = inKind(asJson, 'form', schema)
  assert.deepEqual(messageOfDraft(back, schema).message, message)
  assert.deepEqual(inKind({ kind: 'text', text: 'words' }, 'json', schema), { kind: 'json', text: 'words' })
  assert.deepEqual(inKind({ kind: 'text', text: 'words' }, 'form', schema), form({ order: {}, name: 'you' }))
  assert.deepEqual(inKind({ kind: 'text', text: ' ' }, 'json', schema), { kind: 'json', text: '{\n  \n}' })
})
