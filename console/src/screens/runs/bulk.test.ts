// To which runs of a filter an action is done.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { narrowedTo, overFilter } from './bulk.ts'

test('an action is done only to those of the filter that it can be done to', () => {
  assert.deepEqual(narrowedTo('stop', {}), { status: 'pending,running,needs_attention,waiting' })
  assert.deepEqual(narrowedTo('stop', { status: 'waiting,failed', source: 'api' }), {
    status: 'waiting',
    source: 'api',
  })
  assert.deepEqual(narrowedTo('retry', { status: 'running,failed,stopped' }), { status: 'failed,stopped' })
  assert.equal(narrowedTo('stop', { status: 'completed,failed' }), undefined)
  assert.equal(narrowedTo('retry', { status: 'running' }), undefined)
})

test('work over a filter is the same work, whichever run is the newest', () => {
  const until = '2026-11-17T01:00:00.000Z'
  assert.equal(overFilter({ status: 'failed', agent_id: 'x', until }), overFilter({ agent_id: 'x', status: 'failed' }))
  assert.notEqual(overFilter({ status: 'failed', until }), overFilter({ status: 'stopped', until }))
})
