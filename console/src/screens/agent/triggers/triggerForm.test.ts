// The form of a trigger: what is sent of it, and what is missing.
import assert from 'node:assert/strict'
import { proves } from '../../../../../server/test/kit/proves.ts'
import { argumentsOf, formOf, inputOf, unableOf } from './triggerForm.ts'

proves('console.triggers', 'a form sends the fields of its kind, and says what is missing', () => {
  const form = formOf(undefined)
  assert.match(unableOf(form, undefined) ?? '', /secret of the sender/)
  const filled = { ...form, secret: 'long enough', filter: ' body.a ', concurrency: '3' }
  assert.equal(unableOf(filled, undefined), undefined)
  assert.deepEqual(inputOf(filled), {
    name: null,
    filter: 'body.a',
    message: null,
    dedupe_key: null,
    concurrency: 3,
    webhook: { verifier: 'github', secret: 'long enough' },
  })
  assert.deepEqual(inputOf({ ...form, verifier: 'none' }).webhook, { verifier: 'none' })
  assert.deepEqual(inputOf({ ...form, kind: 'event' }).event, { event: 'run.failed', agent_id: null })
  const poll = { ...form, kind: 'poll', connection: 'c', tool: 't', args: '{"a": 1}' } as const
  assert.equal(unableOf(poll, undefined), undefined)
  assert.deepEqual(inputOf(poll).poll?.arguments, { a: 1 })
  assert.match(unableOf({ ...poll, args: '[1]' }, undefined) ?? '', /JSON object/)
  assert.deepEqual([argumentsOf(''), argumentsOf('x')], [{}, undefined])
})
