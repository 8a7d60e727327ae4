// Schedules in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inZone, needsOf, timingWords, zones } from './timingWords.ts'

const timing = { time: '07:30', day: 'monday', day_of_month: 31, cron: '0 9 * * 1' } as const

test('each frequency is said in words, and needs its own fields', () => {
  assert.equal(timingWords({ ...timing, frequency: 'workday' }), 'Workdays at 07:30')
  assert.equal(timingWords({ ...timing, frequency: 'weekly' }), 'Mondays at 07:30')
  assert.equal(timingWords({ ...timing, frequency: 'monthly' }), 'Day 31 of the month at 07:30')
  assert.equal(timingWords({ ...timing, frequency: 'every_5_minutes' }), 'Every 5 minutes')
  assert.equal(timingWords({ ...timing, frequency: 'custom' }), 'Cron 0 9 * * 1')
  assert.deepEqual([needsOf('weekly'), needsOf('hourly')], [['day', 'time'], []])
})

test('a moment is said in any zone, and UTC is among them', () => {
  assert.equal(inZone('2026-11-16T23:30:00.000Z', 'Europe/Berlin'), 'Tue 17 Nov, 00:30')
  assert.equal(zones()[0], 'UTC')
})
