// What a trigger makes of a delivery: filter, key and message, in counted steps.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { createJudge, problemsOf, type Judging } from './judge.ts'
import { itemsOf } from './pollOne.ts'
import { formOf, readBody } from './readContent.ts'

const webhook: Judging = { kind: 'webhook', verifier: 'none', filter: null, dedupe_key: null, message: null }
const content = {
  body: { id: 7, action: 'opened', issue: { title: 'Broken' } },
  headers: { 'x-github-delivery': 'd-1' },
  query: {},
}
const judge = (judging: Partial<Judging>, given: Record<string, unknown> = content) =>
  createJudge({ ...webhook, ...judging })(given)

const keyOf = (judging: Partial<Judging>, given?: Record<string, unknown>) => {
  const judged = judge(judging, given)
  return 'key' in judged ? judged.key : judged
}

const read = (text: string, type?: string) => readBody(Buffer.from(text), type)

const keys = (settings: { items: string | null; dedupe_key: string | null }, answer: unknown) => {
  const found = itemsOf(settings, answer)
  return 'problem' in found ? found.problem : [found.items.map(({ shownKey }) => shownKey), found.note]
}

proves('triggers.judged', 'filter, key and message read what came in', () => {
  const judged = judge({
    filter: 'body.action == "opened"',
    dedupe_key: 'body.id',
    message: 'Issue {{ body.id }}: {{ body.issue.title }}',
  })
  assert.deepEqual(judged, { passes: true, key: '7', message: 'Issue 7: Broken' })
  assert.deepEqual(judge({ filter: 'body.action == "closed"' }), { passes: false, key: null, message: content.body })
})

proves('triggers.judged', 'without a key of its own, the id by which the sender marks repetitions is the key', () => {
  assert.equal(keyOf({ verifier: 'github' }), 'd-1')
  assert.equal(keyOf({ verifier: 'stripe' }), '7')
  assert.equal(keyOf({ verifier: 'slack' }, { body: { trigger_id: 't' } }), 't')
  assert.equal(keyOf({ verifier: 'standard_webhooks' }, { headers: { 'webhook-id': 'm' } }), 'm')
  assert.equal(keyOf({ verifier: 'none' }, { headers: { 'idempotency-key': 'k' } }), 'k')
  assert.equal(keyOf({ verifier: 'none' }), null)
})

proves('triggers.judged', 'one value alone is the message as it is, and a list is JSON text', () => {
  assert.deepEqual(judge({ message: ' {{ body.issue }}\n' }), { passes: true, key: null, message: { title: 'Broken' } })
  assert.deepEqual(judge({}, { body: [1, 2] }), { passes: true, key: null, message: '[1,2]' })
  assert.deepEqual(judge({}, { body: null }), { passes: true, key: null, message: null })
})

proves(
  'triggers.judged',
  'what cannot be evaluated, or would take too many steps, is a problem and no exception',
  () => {
    const words = 'x'.repeat(900_000)
    const large = judge({ message: '{{ body }}{{ body }}' }, { body: words })
    assert.match('problem' in large ? large.problem : '', /longer than 1000000 characters/)
    const hard = judge(
      { filter: Array.from({ length: 40 }, () => 'body contains body').join(' and ') },
      { body: words },
    )
    assert.match('problem' in hard ? hard.problem : '', /cannot be evaluated/)
    const odd = judge({ filter: 'body < 3' }, { body: 'text' })
    assert.match('problem' in odd ? odd.problem : '', /have no order/)
  },
)

proves('triggers.fields', 'what is no expression of its kind is said when it is saved', () => {
  assert.deepEqual(problemsOf({ ...webhook, filter: 'body.a == 1', message: 'plain' }), [])
  const [filter, key, message] = problemsOf({
    ...webhook,
    filter: 'event.id',
    dedupe_key: 'body.',
    message: 'a\n{{ item }}',
  })
  assert.match(filter!, /^filter cannot be read/)
  assert.match(key!, /^dedupe_key cannot be read/)
  assert.match(message!, /^message, line 2/)
})

proves('triggers.content', 'JSON is a value, a form an object, anything else text', () => {
  assert.deepEqual(read('{"a": 1}', 'application/json; charset=utf-8'), { a: 1 })
  assert.deepEqual(read('{"a": 1}', 'application/vnd.github+json'), { a: 1 })
  assert.deepEqual(read('{"a": 1}'), { a: 1 })
  assert.deepEqual(read('a=1&b=x%20y&a=2', 'application/x-www-form-urlencoded'), { a: ['1', '2'], b: 'x y' })
  assert.equal(read('{"a": 1}', 'text/plain'), '{"a": 1}')
  assert.equal(read('<a/>', 'application/xml'), '<a/>')
  assert.equal(read('', 'application/json'), null)
  assert.throws(() => read('{"a":', 'application/json'), /not JSON/)
  assert.throws(() => read(`${'['.repeat(100)}${']'.repeat(100)}`, 'application/json'), /not JSON/)
  assert.throws(() => readBody(Buffer.from([0xff, 0xfe]), 'text/plain'), /UTF-8/)
  assert.throws(() => read('x', 'multipart/form-data; boundary=x'), /files are not taken/)
  assert.throws(() => formOf('a&'.repeat(1001)), /more than 1000 fields/)
})

proves(
  'triggers.polls',
  'the list of a poll is where it is said to be, or the only one, and each item has its key',
  () => {
    const usual = { items: null, dedupe_key: null }
    assert.deepEqual(keys(usual, { data: { orders: [{ id: 1 }, { id: 2 }, { id: 1 }], total: 3 } }), [['1', '2'], null])
    assert.deepEqual(keys(usual, { text: '[{"id": "a"}]' }), [['a'], null])
    const named = { items: 'result.page.rows', dedupe_key: 'item.number' }
    assert.deepEqual(keys(named, { data: { page: { rows: [{ number: 5 }] } } }), [['5'], null])
    assert.match(String(keys(usual, { data: { a: [], b: [] } })), /Set poll.items/)
    assert.match(String(keys(named, { data: {} })), /gives no list/)
    assert.match(String(keys(usual, { data: [{ name: 'x' }] })), /have no key/)
  },
)

proves('triggers.polls', 'the expressions for all items of a poll have the steps of one turn together', () => {
  const text = 'x'.repeat(200_000)
  const items = Array.from({ length: 200 }, () => ({ text }))
  const found = itemsOf({ items: null, dedupe_key: 'item.text' }, { data: items })
  assert.match('problem' in found ? '' : String(found.note), /cannot be evaluated/)
  assert.deepEqual(keys({ items: null, dedupe_key: 'item.text' }, { data: items.slice(0, 50) }), [[text], null])
})
