// Quiet hours on the wall: spans over midnight and the week's end, and both changes of the clock.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { offsetAt } from '../../base/wallClock.ts'
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

/** What the minutes themselves say, one by one. */
function slowlyUntil(week: Uint8Array, zone: string, from: number): number | undefined {
  const isQuiet = (instant: number) => {
    const wall = new Date(instant + offsetAt(zone, instant))
    return week[((wall.getUTCDay() + 6) % 7) * 1440 + wall.getUTCHours() * 60 + wall.getUTCMinutes()] === 1
  }
  if (!isQuiet(from)) return undefined
  let end = (Math.floor(from / 60_000) + 1) * 60_000
  while (isQuiet(end)) end += 60_000
  return end
}

proves(
  'guardrails.quietHours',
  'in odd zones and over every kind of change, they end at the minute at which they do',
  () => {
    // half an hour, two hours, offsets of a quarter, changes at midnight, against the year, and by decree
    const changes: [string, string][] = [
      ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
      ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
      ['Antarctica/Troll', '2026-03-29T01:00:00Z'],
      ['Antarctica/Troll', '2026-10-25T01:00:00Z'],
      ['Pacific/Chatham', '2026-04-04T14:00:00Z'],
      ['Pacific/Chatham', '2026-09-26T14:00:00Z'],
      ['Asia/Kathmandu', '2026-06-01T00:00:00Z'],
      ['Africa/Cairo', '2026-04-23T22:00:00Z'],
      ['Africa/Cairo', '2026-10-29T21:00:00Z'],
      ['America/Havana', '2026-03-08T05:00:00Z'],
      ['America/Santiago', '2026-04-05T03:00:00Z'],
      ['Africa/Casablanca', '2026-03-22T02:00:00Z'],
      ['America/New_York', '2026-11-01T06:00:00Z'],
      ['Pacific/Kiritimati', '2026-12-31T10:00:00Z'],
      ['Etc/GMT+12', '2026-01-01T12:00:00Z'],
    ]
    const sets: QuietSpan[][] = [
      nights,
      [{ days: [...weekdays], from: '00:00', to: '02:00' }],
      [{ days: ['sat', 'sun'], from: '01:30', to: '02:15' }],
      [{ days: [...weekdays], from: '23:30', to: '00:30' }],
      [
        { days: ['sat'], from: '00:00', to: '24:00' },
        { days: ['sun'], from: '00:00', to: '03:00' },
      ],
    ]
    let compared = 0
    for (const [zone, changed] of changes) {
      for (const spans of sets) {
        const week = weekOf(spans)
        // every 37 minutes, off the minute, from 4 hours before the change to 4 hours after it
        for (let instant = at(changed) - 14_400_000; instant < at(changed) + 14_400_000; instant += 2_221_000) {
          const expected = slowlyUntil(week, zone, instant)
          assert.equal(quietUntil(week, zone, instant), expected, `${zone} ${new Date(instant).toISOString()}`)
          compared += 1
        }
      }
    }
    assert.ok(compared > 900)
  },
)
