// Events are told in a line, also when their data is cut or is not what it should be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventWords, stepOfEvent } from './eventWords.ts'

test('an event says what a person wants to know of it', () => {
  assert.equal(eventWords('run.paused', { waiting_on: { kind: 'human' } }), 'waits for a person')
  assert.equal(eventWords('run.tool_call.completed', { name: 'http_request', ok: true }), 'http_request')
  assert.equal(eventWords('run.tool_call.completed', { name: 'a', ok: false, error: 'no' }), 'a failed: no')
  assert.equal(
    eventWords('run.message.created', { message: { role: 'assistant', type: 'text', text_content: 'Hi' } }),
    'the agent: Hi',
  )
  assert.equal(eventWords('human_request.created', { human_request: { title: 'Pay?' } }), 'Pay?')
  assert.equal(stepOfEvent({ step: 4 }), 4)
  assert.equal(stepOfEvent({ human_request: { step: 5 } }), 5)
})

test('data that is cut or strange is no error', () => {
  for (const odd of [null, 'the beginning …', 7, [], { message: null }, { waiting_on: 'x' }])
    for (const event of [
      'run.paused',
      'run.failed',
      'run.message.created',
      'run.tool_call.completed',
      'run.file.created',
      'new',
    ])
      assert.doesNotThrow(() => eventWords(event, odd))
  assert.equal(stepOfEvent('x'), undefined)
})
