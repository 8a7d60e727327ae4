// Which time the plot shows, and how long its buckets are. What is chosen in the list is always inside.
import type { RunBucket } from '@runyard/sdk'
import type { ApiFilter } from './apiFilter.ts'
import { spans, type Span } from './search.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

interface SpanShape {
  ms: number
  says: string
  interval: 'minute' | 'hour' | 'day'
  /** So many buckets of the service are one bar. */
  merged: number
}

const shapes: Record<Span, SpanShape> = {
  '1h': { ms: hour, says: '1 h', interval: 'minute', merged: 1 },
  '6h': { ms: 6 * hour, says: '6 h', interval: 'minute', merged: 5 },
  '24h': { ms: day, says: '24 h', interval: 'hour', merged: 1 },
  '7d': { ms: 7 * day, says: '7 days', interval: 'hour', merged: 2 },
  '30d': { ms: 30 * day, says: '30 days', interval: 'day', merged: 1 },
  '90d': { ms: 90 * day, says: '90 days', interval: 'day', merged: 1 },
}

export const spanWords = (span: Span): string => shapes[span].says

export interface PlotTime extends Omit<SpanShape, 'ms'> {
  since: string
  span: Span
}

/** The longest that the service counts by days. */
const longestMs = 395 * day

/** The span that was asked for, or the next one in which what is chosen fits. It begins with a whole bar, so that it stays for a while. */
export function plotTime(asked: Span, { since, until }: Pick<ApiFilter, 'since' | 'until'>, now: number): PlotTime {
  const earliest = Math.min(...[since, until].flatMap((time) => (time === undefined ? [] : [Date.parse(time)])))
  const age = now - earliest
  const span = spans.find((one) => shapes[one].ms >= Math.max(shapes[asked].ms, age)) ?? '90d'
  const { ms, ...shape } = shapes[span]
  const isLonger = Number.isFinite(age) && age > ms
  const length = isLonger ? Math.min(age + day, longestMs) : ms
  const bar = { minute, hour, day }[shape.interval] * shape.merged
  const begin = Math.ceil((now - length) / bar) * bar
  const says = isLonger ? `${Math.round(length / day)} days` : shape.says
  return { ...shape, says, span, since: new Date(begin).toISOString() }
}

export const countedNames = ['completed', 'stopped', 'failed', 'waiting', 'running', 'pending'] as const
export type CountedName = (typeof countedNames)[number]

type Bucket = Pick<RunBucket, 'start' | CountedName>

/** Buckets of the service put together to bars. */
export function mergeBuckets(buckets: Bucket[], merged: number): Bucket[] {
  const bars: Bucket[] = []
  for (const [at, bucket] of buckets.entries()) {
    const bar = bars.at(-1)
    if (!bar || at % merged === 0) bars.push({ ...bucket })
    else for (const name of countedNames) bar[name] += bucket[name]
  }
  return bars
}
