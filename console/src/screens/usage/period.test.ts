// Periods of usage are whole days of UTC, whatever the time of day.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOfPeriod, eachDay } from './period.ts'

const now = Date.parse('2026-03-01T23:30:00Z')

test('a month begins on its first day and ends with today', () => {
  assert.deepEqual(daysOfPeriod('month', now), { since: '2026-03-01', until: '2026-03-02' })
})

test('the month before is whole, also over the end of a year', () => {
  assert.deepEqual(daysOfPeriod('last_month', now), { since: '2026-02-01', until: '2026-03-01' })
  assert.deepEqual(daysOfPeriod('last_month', Date.parse('2026-01-09T00:00:00Z')), {
    since: '2025-12-01',
    until: '2026-01-01',
  })
})

test('seven days are today and the six before it, each with a bar', () => {
  const days = daysOfPeriod('7d', now)
  assert.deepEqual(days, { since: '2026-02-23', until: '2026-03-02' })
  assert.deepEqual(eachDay(days).slice(-3), ['2026-02-27', '2026-02-28', '2026-03-01'])
  assert.equal(eachDay(days).length, 7)
})
