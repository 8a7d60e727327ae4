// The sentence of a header says who must do what, since when, and what happens at the deadline.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExplainRunAnswer } from '../../../../../sdk/src/index.ts'
import { whyOf } from './why.ts'

const clock = { timeOf: () => '01:20', relative: () => '6 min ago' }

const request = {
  id: 'r',
  type: 'approval',
  title: 'Pay 412.50 EUR?',
  assignee_user_id: null,
  assignee_name: null,
  expires_at: '2026-11-17T01:20:00.000Z',
  on_timeout: 'reject',
} as const

const explained = (status: ExplainRunAnswer['status'], why: string, facts: object = {}) =>
  ({ status, why, facts: { since: null, human_request: null, step: null, error: null, ...facts } }) as ExplainRunAnswer

test('a wait for a person names the request, its age and its deadline', () => {
  const why = whyOf(explained('waiting', '', { since: '2026-11-16T01:14:00.000Z', human_request: request }), clock)
  assert.equal(
    why?.says,
    'a person must approve “Pay 412.50 EUR?”. Asked 6 min ago; without an answer by 01:20 it counts as refused.',
  )
  assert.equal(why.tone, 'wait')
})

test('a request without a deadline says so, and one that is assigned names the person', () => {
  const facts = { human_request: { ...request, expires_at: null, assignee_user_id: 'm', assignee_name: 'Olive' } }
  const why = whyOf(explained('waiting', '', facts), clock)
  assert.equal(why?.says, 'Olive must approve “Pay 412.50 EUR?”. It waits as long as it takes.')
})

test('other states have the words of the service, with times as people read them', () => {
  const why = whyOf(explained('waiting', 'It resumes at 2026-11-17T05:00:00.000Z, in 3 h.'), clock)
  assert.deepEqual(why, { asks: 'Why it waits:', says: 'It resumes at 01:20, in 3 h.', tone: 'plain' })
  const error = { code: 'step_failed', message: 'Step bad failed: exit code 1', step: 2 }
  assert.deepEqual(whyOf(explained('failed', 'It failed.', { error, since: '2026-11-17T05:00:00.000Z' }), clock), {
    asks: 'Why it failed:',
    says: 'Step bad failed: exit code 1. It ended 6 min ago.',
    tone: 'fail',
    step: 2,
  })
  assert.equal(whyOf(explained('completed', 'It completed.'), clock), undefined)
})
