// Answers of people against what was asked: what fits, what is kept of it, and what is said about the rest.
import assert from 'node:assert/strict'
import { problemOfForm } from './formSchema.ts'
import { checkResponse, type Given } from './humanResponse.ts'
import { proves } from '../../../test/kit/proves.ts'

const nothing = { questions: null, form_schema: null }
const approval = { ...nothing, type: 'approval' as const }
const login = { ...nothing, type: 'login' as const }
const form = (form_schema: Record<string, unknown>) => ({ ...nothing, type: 'form' as const, form_schema })
const asks = (...questions: { question: string; options?: { label: string }[]; multi_select?: boolean }[]) => ({
  ...nothing,
  type: 'question' as const,
  questions,
})
const colour = { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }

const misfit = (asked: Parameters<typeof checkResponse>[0], given: Given): string => {
  const checked = checkResponse(asked, given)
  assert.ok('misfit' in checked, JSON.stringify(checked))
  return checked.misfit
}

proves(
  'humanRequests.fit',
  'only the field of the request’s type becomes the response, with the comment beside it',
  () => {
    assert.deepEqual(checkResponse(approval, { approved: false, done: true, comment: 'Too dear.' }), {
      response: { approved: false, comment: 'Too dear.' },
    })
    assert.deepEqual(checkResponse(login, { done: true, comment: null }), { response: { done: true } })
    assert.match(misfit(approval, { done: true }), /^approved is missing/)
    assert.match(misfit(login, { done: false }), /^done must be true/)
    assert.match(misfit(login, { approved: true }), /^done must be true/)
    assert.match(misfit(asks(colour), { approved: true }), /^answers is missing/)
    assert.match(misfit(form({}), { answers: {} }), /^values is missing/)
  },
)

proves(
  'humanRequests.answers',
  'every question has an answer, of its options where it has some, and several only where it takes several',
  () => {
    const asked = asks(colour, { question: 'Why?' })
    const answered = { 'Which colour?': ['Blue'], 'Why?': 'It suits us.', 'Not asked': 'kept out' }
    assert.deepEqual(checkResponse(asked, { answers: answered }), {
      response: { answers: { 'Which colour?': 'Blue', 'Why?': 'It suits us.' } },
    })
    assert.match(misfit(asked, { answers: { 'Which colour?': 'Red' } }), /"Why\?" has no answer/)
    assert.match(misfit(asked, { answers: { 'Which colour?': 'Red', 'Why?': '  ' } }), /"Why\?" has no answer/)
    assert.match(misfit(asks(colour), { answers: { 'Which colour?': 'Green' } }), /takes one of: Red, Blue\. .*comment/)
    assert.match(misfit(asks(colour), { answers: { 'Which colour?': ['Red', 'Blue'] } }), /takes one answer, not 2/)
    assert.match(misfit(asks({ question: 'toString' }), { answers: {} }), /"toString" has no answer/)
    const several = asks({ ...colour, multi_select: true })
    assert.deepEqual(checkResponse(several, { answers: { 'Which colour?': ['Red', 'Blue', 'Red'] } }), {
      response: { answers: { 'Which colour?': ['Red', 'Blue'] } },
    })
    assert.deepEqual(checkResponse(several, { answers: { 'Which colour?': 'Red' } }), {
      response: { answers: { 'Which colour?': ['Red'] } },
    })
    assert.match(misfit(several, { answers: { 'Which colour?': [] } }), /has no answer/)
    assert.match(misfit(several, { answers: { 'Which colour?': ['Red', 'Green'] } }), /takes one of/)
  },
)

proves('humanRequests.form', 'values fit the form’s schema, or the place that does not is named', () => {
  const invoice = form({
    type: 'object',
    required: ['amount'],
    properties: {
      amount: { type: 'number', minimum: 0 },
      currency: { enum: ['EUR', 'USD'] },
      lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
    },
  })
  const values = { amount: 12.5, currency: 'EUR', lines: [{ sku: 'a' }], more: true }
  assert.deepEqual(checkResponse(invoice, { values }), { response: { values } })
  assert.match(misfit(invoice, { values: {} }), /^values\.amount is missing/)
  assert.match(misfit(invoice, { values: { amount: -1 } }), /^values\.amount /)
  assert.match(
    misfit(invoice, { values: { amount: 1, currency: 'GBP' } }),
    /^values\.currency must be one of: EUR, USD/,
  )
  assert.match(misfit(invoice, { values: { amount: 1, lines: [{ sku: 7 }] } }), /^values\.lines\.0\.sku /)
})

proves(
  'humanRequests.brokenForm',
  'a form that cannot be read, or that refers to itself without end, is reported as broken and harms nothing',
  () => {
    const broken = [
      { type: 'object', properties: { a: { type: 'string', pattern: '[' } } },
      { type: 'object', patternProperties: { '(': {} } },
      { $ref: '#' },
      { properties: { a: { $ref: '#/$defs/none' } } },
    ]
    for (const schema of broken) {
      const checked = checkResponse(form(schema), { values: { a: 'x' } })
      assert.ok('broken' in checked && checked.broken.length > 5, JSON.stringify([schema, checked]))
      assert.equal(problemOfForm(schema), checked.broken)
    }
    const odd = [{ type: 'strnig' }, { properties: 5 }, { required: 'a' }, { enum: 5 }, { anyOf: [null] }, { items: 7 }]
    for (const schema of odd) assert.equal(problemOfForm(schema), undefined, JSON.stringify(schema))
  },
)
