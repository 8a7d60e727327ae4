// The time that a figure speaks of: `last`, or `since` and `until`, read into whole hours or days of UTC.
import { instant, Type } from '../../kit/schema.ts'
import { readInstant } from '../../kit/instant.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How many days one call can read. */
const daysMax = 400

/** The inputs of every tool that speaks of a time. `usual` is what `last` is when nothing is said. */
export const spanFields = (usual: string) => ({
  last: Type.Optional(
    Type.String({
      maxLength: 10,
      description:
        `How far back: 24h is this hour and the 23 before it, 7d is today and the 6 days before it. At most ${daysMax}d. ` +
        `Without it and without since: ${usual}. All times are UTC.`,
      examples: ['24h', '7d', '30d'],
    }),
  ),
  since: Type.Optional(instant('The first moment, instead of last. A bare date is its midnight in UTC.')),
  until: Type.Optional(instant('Up to this moment; only with since. Without it: now.')),
})

interface AskedSpan {
  last?: string
  since?: string
  until?: string
}

export interface Span {
  since: Date
  /** Not included. */
  until: Date
}

/** A sentence that the caller can act on. */
export class Unfit extends Error {}

/** What is asked, widened to whole hours or whole days. */
export function spanOf(
  asked: AskedSpan,
  { now, usual, unit }: { now: Date; usual: string; unit: 'hour' | 'day' },
): Span {
  const { last, since, until } = asked
  if (last !== undefined && (since !== undefined || until !== undefined)) {
    throw new Unfit('Say either last, or since and until.')
  }
  if (until !== undefined && since === undefined) throw new Unfit('until needs since. Say both, or say last.')
  const unitMs = unit === 'hour' ? hourMs : dayMs
  const [from, to] =
    since === undefined
      ? lastOf(last ?? usual, now)
      : [timeOf('since', since), until === undefined ? now.getTime() : timeOf('until', until)]
  if (since !== undefined && from >= to)
    throw new Unfit('since must be earlier than until, and than now without until.')
  const span = { since: Math.floor(from / unitMs) * unitMs, until: Math.ceil(to / unitMs) * unitMs }
  if (span.until - span.since > (daysMax + 1) * dayMs) {
    throw new Unfit(`At most ${daysMax} days can be read at once. Ask for fewer.`)
  }
  return { since: new Date(span.since), until: new Date(span.until) }
}

/** The span of the same length right before it. */
export const spanBefore = ({ since, until }: Span): Span => ({
  since: new Date(2 * since.getTime() - until.getTime()),
  until: since,
})

function timeOf(name: string, text: string): number {
  const time = readInstant(text)
  if (time === undefined)
    throw new Unfit(`${name} must be a time such as 2026-07-18T09:00:00Z, or a date such as 2026-07-18.`)
  return Date.parse(time)
}

function lastOf(last: string, now: Date): [from: number, to: number] {
  const [, count = '', unit] = /^([1-9]\d{0,3})([hd])$/.exec(last) ?? []
  const unitMs = unit === 'h' ? hourMs : dayMs
  if (count === '')
    throw new Unfit(`last must be a number of hours or days such as 24h or 7d, not ${JSON.stringify(last)}.`)
  if (Number(count) * unitMs > daysMax * dayMs) throw new Unfit(`last can be ${daysMax}d at most.`)
  const end = Math.floor(now.getTime() / unitMs) * unitMs + unitMs
  return [end - Number(count) * unitMs, Math.min(end, Math.ceil((now.getTime() + 1) / hourMs) * hourMs)]
}

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** Every day of the span, the earliest first: a day on which nothing happened has its row too. */
export function daysOf({ since, until }: Span): string[] {
  const first = Math.floor(since.getTime() / dayMs)
  const length = Math.ceil(until.getTime() / dayMs) - first
  return Array.from({ length }, (_, n) => dayOf(new Date((first + n) * dayMs)))
}

/** Every hour of the span, counted from 1970. */
export function hoursOf({ since, until }: Span): number[] {
  const first = since.getTime() / hourMs
  return Array.from({ length: until.getTime() / hourMs - first }, (_, n) => first + n)
}

export const nameOfHour = (hour: number): string => new Date(hour * hourMs).toISOString()

export const earliest = (times: (Date | null)[]): Date | null =>
  times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null)

/** Since when the oldest of something waits, and for how many seconds. */
export const oldestWaiting = (since: Date | null, now: Date) => ({
  oldest_waiting_at: since === null ? null : since.toISOString(),
  oldest_waiting_s: since === null ? null : Math.max(0, Math.round((now.getTime() - since.getTime()) / 1000)),
})
