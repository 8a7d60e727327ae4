// Quiet hours: when the clock on the wall of a time zone shows a time at which no call may have an effect outside, and when that ends.
import { changeBetween, offsetAt } from '../../base/wallClock.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Weekday = (typeof weekdays)[number]

/** From a time on these days until the next time that the clock shows `to`; the same time twice is a whole day. */
export interface QuietSpan {
  days: Weekday[]
  from: string
  to: string
}

const minuteMs = 60_000
const dayMinutes = 1440
const weekMinutes = 7 * dayMinutes

/** `24:00` is the end of the day. */
const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))

/** Each minute of a week, from Monday 00:00 on: 1 where it is quiet. */
export function weekOf(spans: readonly QuietSpan[]): Uint8Array {
  const week = new Uint8Array(weekMinutes)
  for (const { days, from, to } of spans) {
    const length = (minuteOf(to) - minuteOf(from) + dayMinutes) % dayMinutes || dayMinutes
    for (const day of days) {
      const first = weekdays.indexOf(day) * dayMinutes + minuteOf(from)
      for (let minute = first; minute < first + length; minute += 1) week[minute % weekMinutes] = 1
    }
  }
  return week
}

/** Whether no minute of the week is left: calls would wait for ever. */
export const isNeverOpen = (week: Uint8Array): boolean => !week.includes(0)

/** The minute of the week that the wall shows; 1970-01-01 was a Thursday. */
function minuteOnWall(zone: string, at: number): number {
  const minutes = Math.floor((at + offsetAt(zone, at)) / minuteMs) + 3 * dayMinutes
  return ((minutes % weekMinutes) + weekMinutes) % weekMinutes
}

/** Each round ends the quiet time or passes a change of the clock, of which a week has few. */
const rounds = 20

/** When the quiet time ends in which this instant lies; undefined: it is not quiet then. */
export function quietUntil(week: Uint8Array, zone: string, at: number): number | undefined {
  if (week[minuteOnWall(zone, at)] === 0) return undefined
  let end = at
  for (let round = 0; round < rounds && week[minuteOnWall(zone, end)] === 1; round += 1)
    end = nextOpening(week, zone, end)
  return end
}

/** Where the clock shows the next minute that is not quiet, or where it is changed before that: what it shows then is looked at again. */
function nextOpening(week: Uint8Array, zone: string, at: number): number {
  const now = minuteOnWall(zone, at)
  let ahead = 1
  while (ahead < weekMinutes && week[(now + ahead) % weekMinutes] === 1) ahead += 1
  const offset = offsetAt(zone, at)
  const wall = Math.floor((at + offset) / minuteMs) * minuteMs
  const opens = wall + ahead * minuteMs - offset
  return offsetAt(zone, opens) === offset ? opens : changeBetween(zone, at, opens)
}
