// Spans of time that lists are narrowed to.
import type { TimeSpan } from './search.ts'

const hourMs = 3_600_000

const spansMs: Record<TimeSpan, number> = { '1h': hourMs, '24h': 24 * hourMs, '7d': 7 * 24 * hourMs }

export const spanWords: Record<TimeSpan, string> = { '1h': 'last hour', '24h': 'last 24 hours', '7d': 'last 7 days' }

export const sinceOf = (span: TimeSpan | undefined): string | undefined =>
  span === undefined ? undefined : new Date(Date.now() - spansMs[span]).toISOString()
