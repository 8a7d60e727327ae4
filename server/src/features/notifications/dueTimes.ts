// When a member is notified of something: at once, after their quiet hours, or with the next digest.
import { firstInstantOf, offsetAt } from '../../base/wallClock.ts'
import type { ChoicesRow, Kind } from './choices.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Undefined: not at all. */
export function dueTime(choices: ChoicesRow, kind: Kind, now: Date): Date | undefined {
  const wish = choices.mail[kind] ?? 'off'
  if (wish === 'off') return undefined
  if (wish === 'digest') return nextTime(choices.time_zone, choices.digest_minute, now)
  return isQuiet(choices, now) ? nextTime(choices.time_zone, choices.quiet_until!, now) : now
}

function isQuiet({ time_zone, quiet_from: from, quiet_until: until }: ChoicesRow, now: Date): boolean {
  if (from === null || until === null) return false
  const wall = now.getTime() + offsetAt(time_zone, now.getTime())
  const minute = Math.floor((wall % dayMs) / minuteMs)
  return from < until ? minute >= from && minute < until : minute >= from || minute < until
}

/** The next instant at which the clock on the wall shows this minute of the day. */
function nextTime(zone: string, minute: number, now: Date): Date {
  const wall = now.getTime() + offsetAt(zone, now.getTime())
  const midnight = Math.floor(wall / dayMs) * dayMs
  for (let day = 0; ; day++) {
    const at = firstInstantOf(zone, midnight + day * dayMs + minute * minuteMs)
    if (at > now.getTime()) return new Date(at)
  }
}
