// Requests without a page: what is asked, what is sent, what is kept of a draft, and what is said about time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unreadable } from '../schemaValue.ts'
import { questionsOf, responseOf } from './asked.ts'
import { draftText, emptyDraft, isTouched, parseDraft } from './draft.ts'
import { choose, inputOf, missingFor, withAnswer } from './input.ts'
import { deadlineSentence, outcomeWords, timeLeft } from './words.ts'

const nothing = { title: 'Pay?', questions: null, form_schema: null, action: null }
const approval = { ...nothing, type: 'approval' as const }
const ask = (...questions: unknown[]) => ({ ...nothing, type: 'question' as const, questions })
const colour = {
  question: 'Which colour?',
  options: [{ label: 'Red' }, { label: 'Blue', description: 'like the sea' }],
}

void test('what an agent wrote is read field by field, and nothing of it is taken on trust', () => {
  assert.deepEqual(questionsOf(ask(colour)), [{ ...colour, isMulti: false }])
  assert.deepEqual(questionsOf(ask('no question', null, { question: 5, options: [7, { label: null }] })), [
    { question: '', options: [{ label: '' }], isMulti: false },
  ])
  assert.deepEqual(questionsOf(ask()), [{ question: 'Pay?', options: [], isMulti: false }])
  assert.deepEqual(questionsOf(approval), [])
  assert.deepEqual(responseOf({ answers: { a: ['x', 'y'], b: 'z' }, comment: 'Good.' }), {
    approved: undefined,
    answers: [
      ['a', 'x, y'],
      ['b', 'z'],
    ],
    values: undefined,
    comment: 'Good.',
  })
  assert.deepEqual(responseOf('no object'), { approved: undefined, answers: [], values: undefined, comment: undefined })
})

void test('nothing can be sent before somebody chose, and what is sent is bound to the action that was shown', () => {
  assert.match(missingFor(approval, emptyDraft, undefined) ?? '', /approve or reject/)
  assert.equal(missingFor(approval, emptyDraft, 'reject'), undefined)
  assert.match(missingFor(ask(colour), emptyDraft, undefined) ?? '', /Choose an answer/)
  assert.match(missingFor(ask({ question: 'Why?' }), withAnswer(emptyDraft, 0, ['  ']), undefined) ?? '', /Write/)
  const two = ask(colour, { question: 'Why?' })
  const half = choose(emptyDraft, 0, 'Blue', false)
  assert.match(missingFor(two, half, undefined) ?? '', /Question 2 of 2/)
  const whole = withAnswer(half, 1, ['It suits us.'])
  assert.equal(missingFor(two, whole, undefined), undefined)
  assert.deepEqual(inputOf(two, { ...whole, comment: '  ' }, undefined), {
    answers: { 'Which colour?': 'Blue', 'Why?': 'It suits us.' },
  })
  const action = { tool: 'http_request', arguments: {}, hash: 'abc' }
  assert.deepEqual(inputOf({ ...approval, action }, { ...emptyDraft, comment: ' No. ' }, 'reject'), {
    approved: false,
    comment: 'No.',
    action_hash: 'abc',
  })
  assert.deepEqual(inputOf({ ...nothing, type: 'login' }, emptyDraft, undefined), { done: true })
})

void test('of several options a second press takes one back', () => {
  const one = choose(emptyDraft, 0, 'Red', true)
  const both = choose(one, 0, 'Blue', true)
  assert.deepEqual(both.answers, [['Red', 'Blue']])
  assert.deepEqual(choose(both, 0, 'Red', true).answers, [['Blue']])
  assert.deepEqual(choose(both, 0, 'Red', false).answers, [['Red']])
})

void test('a question called __proto__ is answered like any other', () => {
  const input = inputOf(ask({ question: '__proto__' }), withAnswer(emptyDraft, 0, ['yes']), undefined)
  assert.equal(JSON.stringify(input), '{"answers":{"__proto__":"yes"}}')
})

void test('a draft is the same after a reload, and a damaged one is an empty one', () => {
  const values = { name: 'Ada', limit: new Unreadable('12,x'), list: ['a'] }
  const draft = { answers: [['Red'], []], values, comment: 'Wait' }
  assert.deepEqual(parseDraft(draftText(draft)), draft)
  assert.deepEqual(parseDraft('{"answers": 5'), emptyDraft)
  assert.deepEqual(parseDraft('null'), emptyDraft)
  assert.deepEqual(parseDraft('{"answers": [7, ["a", 3]], "comment": 9}'), { ...emptyDraft, answers: [[], ['a', '3']] })
  assert.ok(isTouched(draft) && !isTouched(emptyDraft) && !isTouched(parseDraft('{"answers": [[]]}')))
})

const at = (expires_at: string | null) => ({ expires_at, on_timeout: 'reject' as const })

void test('a deadline is said in words: what happens then, and when', () => {
  const now = Date.parse('2026-11-16T10:00:00Z')
  const says = (expires: string | null) => deadlineSentence(at(expires), 'UTC', now)
  assert.equal(says(null), 'no deadline, the run waits')
  assert.equal(says('2026-11-16T10:19:40Z'), 'rejected by itself in 19 min')
  assert.equal(says('2026-11-16T18:00:00Z'), 'rejected by itself at 18:00')
  assert.equal(says('2026-11-17T01:20:00Z'), 'rejected by itself at 01:20 tomorrow')
  assert.equal(says('2026-12-03T01:20:00Z'), 'rejected by itself on 3 Dec, 01:20')
  assert.equal(says('2026-11-16T09:59:59Z'), 'its time is over')
  const left = (expires: string | null) => timeLeft(at(expires), now)
  assert.deepEqual(left('2026-11-16T10:00:42.500Z'), { says: '42 s left', isNear: true })
  assert.deepEqual(left('2026-11-16T16:59:40Z'), { says: '6 h 59 min left', isNear: false })
  assert.deepEqual(left(null), { says: 'no deadline, the run waits', isNear: false })
})

void test('what became of a request is said after the name of who did it', () => {
  const closed = { status: 'responded' as const, on_timeout: 'fail' as const }
  const words = (type: 'approval' | 'question' | 'form' | 'login', response: unknown) =>
    outcomeWords({ ...closed, type, response })
  assert.equal(words('approval', { approved: true }), 'approved')
  assert.equal(words('approval', { approved: false }), 'rejected')
  assert.equal(words('question', { answers: { a: 'Blue' } }), 'answered “Blue”')
  assert.equal(words('question', { answers: { a: 'Blue', b: 'x' } }), 'answered')
  assert.equal(words('form', { values: {} }), 'filled in the form')
  const expired = { type: 'approval' as const, status: 'expired' as const, response: { approved: false } }
  assert.match(outcomeWords({ ...expired, on_timeout: 'reject' }), /nobody answered in time: it counts as rejected/)
  assert.equal(outcomeWords({ ...closed, type: 'form', status: 'cancelled', response: null }), 'cancelled')
})
