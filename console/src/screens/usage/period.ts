// The times that usage is shown for, as days of UTC: usage is counted by these.

export const periods = ['month', 'last_month', '7d', '30d', '90d'] as const
export type Period = (typeof periods)[number]

export const periodNames: Record<Period, string> = {
  month: 'This month',
  last_month: 'Last month',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
}

const dayMs = 86_400_000
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Up to today, which is included; `until` is the day after the last one. */
export function daysOfPeriod(period: Period, now: number): { since: string; until: string } {
  const today = new Date(now)
  const month = (back: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back)
  const tomorrow = Math.floor(now / dayMs) * dayMs + dayMs
  if (period === 'month') return { since: dayOf(month(0)), until: dayOf(tomorrow) }
  if (period === 'last_month') return { since: dayOf(month(1)), until: dayOf(month(0)) }
  return { since: dayOf(tomorrow - Number.parseInt(period, 10) * dayMs), until: dayOf(tomorrow) }
}

/** Every day of a span, the earliest first: a day on which nothing was used has its bar too. */
export function eachDay({ since, until }: { since: string; until: string }): string[] {
  const first = Date.parse(since)
  return Array.from({ length: (Date.parse(until) - first) / dayMs }, (_, at) => dayOf(first + at * dayMs))
}

/** The day as the list of runs takes it. */
export const midnight = (day: string): string => `${day}T00:00:00.000Z`
