// Quiet hours on the wall: spans over midnight and the week's end, and both changes of the clock.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { isNeverOpen, quietUntil, weekdays, weekOf, type QuietSpan } from './quietHours.ts'

const at = (text: string): number => Date.parse(text)
const until = (spans: QuietSpan[], zone: string, text: string): string | undefined => {
  const end = quietUntil(weekOf(spans), zone, at(text))
  return end === undefined ? undefined : new Date(end).toISOString()
}
const nights: QuietSpan[] = [{ days: [...weekdays], from: '22:00', to: '06:00' }]

proves('guardrails.quietHours', 'a span over midnight ends on the next day', () => {
  assert.equal(until(nights, 'UTC', '2026-11-18T21:59:59.999Z'), undefined)
  assert.equal(until(nights, 'UTC', '2026-11-18T22:00:00Z'), '2026-11-19T06:00:00.000Z')
  assert.equal(until(nights, 'UTC', '2026-11-19T05:59:59Z'), '2026-11-19T06:00:00.000Z')
  assert.equal(until(nights, 'UTC', '2026-11-19T06:00:00Z'), undefined)
})

proves('guardrails.quietHours', 'spans that touch are one, also over the end of the week', () => {
  const weekend: QuietSpan[] = [
    { days: ['sat', 'sun'], from: '00:00', to: '24:00' },
    { days: ['mon'], from: '00:00', to: '08:30' },
  ]
  // 2026-11-21 is a Saturday
  assert.equal(until(weekend, 'Europe/Berlin', '2026-11-20T22:59:00Z'), undefined)
  assert.equal(until(weekend, 'Europe/Berlin', '2026-11-20T23:00:00Z'), '2026-11-23T07:30:00.000Z')
  const sundayNight: QuietSpan[] = [{ days: ['sun'], from: '23:00', to: '05:00' }]
  assert.equal(until(sundayNight, 'UTC', '2026-11-23T04:00:00Z'), '2026-11-23T05:00:00.000Z')
  assert.equal(until(sundayNight, 'UTC', '2026-11-24T04:00:00Z'), undefined)
})

proves('guardrails.quietHours', 'a night is an hour shorter or longer when the clock changes', () => {
  // in Berlin 02:00 became 03:00 on 2026-03-29, and 03:00 became 02:00 on 2026-10-25
  assert.equal(until(nights, 'Europe/Berlin', '2026-03-28T21:00:00Z'), '2026-03-29T04:00:00.000Z')
  assert.equal(until(nights, 'Europe/Berlin', '2026-10-24T20:00:00Z'), '2026-10-25T05:00:00.000Z')
})

proves('guardrails.quietHours', 'hours that the clock skips end when it has skipped them', () => {
  const skipped: QuietSpan[] = [{ days: ['sun'], from: '01:00', to: '02:30' }]
  assert.equal(until(skipped, 'Europe/Berlin', '2026-03-29T00:30:00Z'), '2026-03-29T01:00:00.000Z')
})

proves('guardrails.quietHours', 'hours that the clock shows twice are quiet both times', () => {
  const twice: QuietSpan[] = [{ days: ['sun'], from: '02:00', to: '02:30' }]
  assert.equal(until(twice, 'Europe/Berlin', '2026-10-25T00:10:00Z'), '2026-10-25T00:30:00.000Z')
  assert.equal(until(twice, 'Europe/Berlin', '2026-10-25T00:40:00Z'), undefined)
  assert.equal(until(twice, 'Europe/Berlin', '2026-10-25T01:10:00Z'), '2026-10-25T01:30:00.000Z')
})

proves('guardrails.quietHours', 'a week without an open minute is known as such', () => {
  assert.equal(isNeverOpen(weekOf([{ days: [...weekdays], from: '00:00', to: '24:00' }])), true)
  assert.equal(isNeverOpen(weekOf([{ days: [...weekdays], from: '00:00', to: '23:59' }])), false)
})
