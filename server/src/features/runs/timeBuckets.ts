// A range of time cut into minutes, hours or days of a time zone: the buckets of a plot.
import { firstInstantOf, offsetAt } from '../../base/wallClock.ts'

export const intervals = ['minute', 'hour', 'day'] as const
type Interval = (typeof intervals)[number]

const dayMs = 86_400_000
const lengths: Record<Interval, number> = { minute: 60_000, hour: 3_600_000, day: dayMs }

/** How long the time is that is counted when nothing is asked. */
export const usualMs: Record<Interval, number> = { minute: 60 * 60_000, hour: dayMs, day: 30 * dayMs }

/** How many buckets an answer has at most. */
export const bucketsMax = 400

export interface BucketTime {
  since: Date
  /** Not included. */
  until: Date
  interval: Interval
  zone: string
}

/**
 * When each bucket begins, the first at or before `since`. Minutes and hours are those of UTC, days those of the zone: an hour of a zone that is
 * half an hour off has no count. Undefined: there would be too many.
 */
export function bucketStarts({ since, until, interval, zone }: BucketTime): number[] | undefined {
  const [from, to, length] = [since.getTime(), until.getTime(), lengths[interval]]
  // a day may be shorter than 24 hours
  if ((to - from) / length > bucketsMax + 2) return undefined
  const isLocal = interval === 'day' && zone !== 'UTC'
  const first = Math.floor((from + (isLocal ? offsetAt(zone, from) : 0)) / length)
  const starts = new Set<number>()
  for (let n = first; ; n++) {
    const start = isLocal ? firstInstantOf(zone, n * dayMs) : n * length
    if (start >= to) break
    starts.add(start)
  }
  return starts.size > bucketsMax ? undefined : [...starts]
}
