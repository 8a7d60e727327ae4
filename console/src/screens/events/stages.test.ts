// Which stages of an attempt are shown, and where it failed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryAttempt } from '@runyard/sdk'
import { stagesOf } from './stages.ts'

type Timing = NonNullable<DeliveryAttempt['timing']>

const whole = { dns_ms: 1, connect_ms: 2, tls_ms: 3, wait_ms: 40, answer_ms: 0 }

test('a stage that an open connection made needless is left out', () => {
  const reused = stagesOf({ ...whole, dns_ms: null, connect_ms: null, tls_ms: null }, null)
  assert.deepEqual(
    reused.map(({ name, ms, isFailed }) => [name, ms, isFailed]),
    [
      ['wait', 40, false],
      ['answer', 0, false],
    ],
  )
})

const failedAt = (timing: Timing, stage: DeliveryAttempt['stage']) =>
  stagesOf(timing, stage)
    .filter(({ isFailed }) => isFailed)
    .map(({ name }) => name)

test('the stage that failed is marked: by its name, by a bad status, or as the last one reached', () => {
  assert.deepEqual(failedAt(whole, 'status'), ['wait'])
  assert.deepEqual(failedAt({ ...whole, tls_ms: 9, wait_ms: null, answer_ms: null }, 'tls'), ['tls'])
  assert.deepEqual(failedAt({ ...whole, answer_ms: null }, 'timeout'), ['wait'])
  assert.deepEqual(failedAt(whole, null), [])
})
