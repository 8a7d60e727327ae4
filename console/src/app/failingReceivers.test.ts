// Receivers that begin to fail are reported once; those that failed before the first look, and single failed attempts, are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failuresSince } from './failingReceivers.ts'

const receiver = (id: string, failures: number, failing_since: string | null = null) => ({
  id,
  url: `https://${id}.example.com/hook`,
  failures,
  failing_since,
  disabled_at: null,
})

void test('what begins to fail after the first look is shown once', () => {
  const first = failuresSince(undefined, [receiver('old', 9, '2026-11-17T09:00:00Z'), receiver('new', 0)])
  assert.deepEqual(first.fresh, [])
  const failing = [receiver('old', 12, '2026-11-17T09:00:00Z'), receiver('new', 5, '2026-11-17T10:00:00Z')]
  const second = failuresSince(first.known, failing)
  assert.deepEqual(
    second.fresh.map(({ id }) => id),
    ['new'],
  )
  assert.deepEqual(failuresSince(second.known, failing).fresh, [])
})

void test('a few failed attempts are not shown, one that was switched off is, and so is a second failure', () => {
  const { known } = failuresSince(undefined, [receiver('a', 6, '2026-11-17T09:00:00Z')])
  assert.deepEqual(failuresSince(known, [receiver('b', 4, '2026-11-17T10:00:00Z')]).fresh, [])
  const off = { ...receiver('c', 0), disabled_at: '2026-11-17T10:00:00Z' }
  const again = receiver('a', 5, '2026-11-17T11:00:00Z')
  assert.equal(failuresSince(known, [off, again]).fresh.length, 2)
})
