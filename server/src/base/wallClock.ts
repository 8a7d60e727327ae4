// The clock on the wall of a time zone: what it shows at an instant, and when it first shows a time. Times on the wall are counted like UTC.
import { BoundedCache } from './boundedCache.ts'

const dayMs = 86_400_000
/** Each entry takes about 23 KiB, and a name can be spelled in any mix of upper and lower case. */
const formats = new BoundedCache<Intl.DateTimeFormat>({ name: 'time zones', entriesMax: 200 })

const formatOf = (zone: string): Intl.DateTimeFormat =>
  formats.getOrMake(
    zone.toLowerCase(),
    () => new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }),
  )

/** Names only: an offset such as +02:00 has no rule for summer and winter, so it is not what a person means by a time zone. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** How far the wall is ahead of UTC at an instant. */
export function offsetAt(zone: string, at: number): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(formatOf(zone).format(at))
  if (!match) throw new Error(`the offset of ${zone} cannot be read`)
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}

/** The instant at which the wall first shows this time; for a time that it skips, the instant of the skip. */
export function firstInstantOf(zone: string, wall: number): number {
  // a day on either side is beyond any one change of the clock, also where a whole day was skipped
  const before = offsetAt(zone, wall - dayMs)
  const after = offsetAt(zone, wall + dayMs)
  const early = wall - Math.max(before, after)
  const late = wall - Math.min(before, after)
  for (const at of [early, late]) if (at + offsetAt(zone, at) === wall) return at
  return changeBetween(zone, early, late)
}

/** An instant after `from`, and not after `until`, at which the wall leaves the offset that it has at `from`. */
export function changeBetween(zone: string, from: number, until: number): number {
  const offset = offsetAt(zone, from)
  let same = from
  let changed = until
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2)
    if (offsetAt(zone, middle) === offset) same = middle
    else changed = middle
  }
  return changed
}
