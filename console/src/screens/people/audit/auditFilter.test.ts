// Filters of the audit log: days become moments, and what is no day is left out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditFilter } from './auditFilter.ts'

test('the days of a filter are whole, the last one too', () => {
  assert.deepEqual(auditFilter({ operation: 'createMember', since: '2026-02-27', until: '2026-02-28' }, true), {
    operation: 'createMember',
    since: '2026-02-27T00:00:00.000Z',
    until: '2026-03-01T00:00:00.000Z',
  })
})

test('what is no day is left out', () => {
  for (const since of ['yesterday', '2026-2-7', '12026-01-01']) assert.deepEqual(auditFilter({ since }, true), {})
})
