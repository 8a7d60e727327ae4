// A time that somebody types: `2h` ago, or an ISO time.
import { UsageError } from './command.ts'

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function sinceOf(text: string, flag = '--since', now = Date.now()): Date {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const at = new Date(count === undefined ? text : now - Number(count) * (unitMs[unit] ?? 0))
  if (Number.isNaN(at.getTime()))
    throw new UsageError(`${flag} must be a time as 2026-01-31T12:00:00Z, or how long ago as 30m, 2h or 1d.`)
  return at
}
