// What a person sees of an artifact at a glance: a question before everything, and nothing where all is well.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateOf } from './artifactWords.ts'

const fine = { status: 'completed', pending_question: null, html_code_present: true, refresh_error: null } as const
const question = { tool_call_id: 'q', questions: [], needs_approver: false }

test('an open question goes before the work that waits for it', () => {
  assert.equal(stateOf({ ...fine, status: 'running', pending_question: question })?.says, 'asks something')
})

test('a page whose refresh failed says so, since the last good page stays', () => {
  assert.equal(stateOf({ ...fine, refresh_error: 'no' })?.says, 'the last refresh failed')
})

test('a page whose change failed has nothing wrong with it', () => {
  assert.equal(stateOf({ ...fine, status: 'failed' }), undefined)
  assert.equal(stateOf({ ...fine, status: 'failed', html_code_present: false })?.says, 'could not be made')
})
