// The few words beside a step: what they say, and what they never show.
import assert from 'node:assert/strict'
import { proves } from '../../../../test/kit/proves.ts'
import { answerOf, detailOf, titleOf, type Given, type Told } from './stepDetail.ts'

const told = (given: Given | null, tool = 'some_tool', kind: Told['kind'] = 'tool'): Told => ({
  kind,
  turn: 3,
  tool,
  given,
  said: null,
  room: null,
  calls: null,
})

const detail = (given: Given | null, tool?: string) => detailOf(told(given, tool), undefined, undefined)

proves('steps.detail', 'an address is shown without query, fragment and credentials', () => {
  const url = 'https://ada:pass@api.example.com/orders/a%20b?token=abc#x'
  assert.equal(detail({ method: 'POST', url }, 'http_request'), 'POST /orders/a b')
  assert.equal(detail({ url }, 'http_request'), 'GET /orders/a b')
  assert.equal(detail({ url }, 'browser_open'), 'api.example.com/orders/a b')
  assert.equal(detail({ url: 'https://track.example.com/' }, 'browser_open'), 'track.example.com')
  assert.equal(detail({ url: 'not an address?token=abc' }, 'http_request'), 'GET not an address')
  assert.equal(detail({ url: 'https://example.com/%E0%A4%A' }, 'http_request'), 'GET /%E0%A4%A')
})

proves('steps.detail', 'the most useful argument is shown, on one line of at most 120 characters', () => {
  assert.equal(detail({ command: 'python compare.py' }), 'python compare.py')
  assert.equal(detail({ code: 'wc -l < out/orders.csv' }), 'wc -l < out/orders.csv')
  assert.equal(detail({ element: 'Tracking number', page: '2' }), 'Tracking number')
  assert.equal(detail({ seconds: '90' }), '90 s')
  assert.equal(detail({ command: 'a\n\n  b\tc' }), 'a b c')
  const long = detail({ command: 'x'.repeat(5000) })
  assert.deepEqual([long?.length, long?.endsWith('…')], [120, true])
  assert.equal(detail({ command: `${'x'.repeat(118)}😀😀` })?.isWellFormed(), true)
  assert.equal(detail({ command: '   \n' }), null)
  assert.equal(detail({}), null)
  assert.equal(detail(null), null)
})

proves('steps.detail', 'turns, questions and sub-runs have titles that people read', () => {
  const run = { run_number: 4183, agent_name: 'Photo check', status: 'completed' }
  assert.equal(titleOf(told(null, 'some:model', 'model'), undefined), 'Turn 3')
  assert.equal(titleOf(told({ title: 'Pay?' }, 'human_approve', 'human'), undefined), 'Pay?')
  assert.equal(titleOf(told({ agent: 'x' }, 'agents_run', 'sub_run'), run), 'Photo check')
  assert.equal(detailOf(told({ agent: 'x' }, 'agents_run', 'sub_run'), run, undefined), 'run 4183, completed')
  assert.equal(titleOf(told({ agent: 'Gone' }, 'agents_run', 'sub_run'), undefined), 'Gone')
  assert.equal(titleOf(told({ seconds: '5' }, 'schedule_wait', 'wait'), undefined), 'schedule_wait')
})

proves('steps.detail', 'an answer is shown as it was given', () => {
  const asked = { status: 'responded', approved: null, answer: null, has_values: false } as const
  assert.equal(answerOf({ ...asked, status: 'pending' }), null)
  assert.equal(answerOf({ ...asked, approved: true }), 'approved')
  assert.equal(answerOf({ ...asked, approved: false }), 'rejected')
  assert.equal(answerOf({ ...asked, answer: 'make it' }), 'answered: make it')
  assert.equal(answerOf({ ...asked, has_values: true }), 'filled in')
  assert.equal(answerOf(asked), 'done')
  assert.equal(answerOf({ ...asked, status: 'cancelled' }), 'cancelled')
  assert.equal(answerOf({ ...asked, status: 'expired' }), 'nobody answered in time')
  assert.equal(answerOf({ ...asked, status: 'expired', approved: false }), 'rejected: nobody answered in time')
})
