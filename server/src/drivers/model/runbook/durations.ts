// Durations (`30s`, `1h30m`) and times (ISO 8601) as a procedure writes them.

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
const secondsMax = 366 * 86_400

const duration = /^(?:\d{1,9}(?:\.\d{1,3})?[smhdw] ?)+$/
const part = /(\d+(?:\.\d+)?)([smhdw])/g

export const durationHint = 'Write a number and a unit (s, m, h, d, w): 30s, 5m, 1h30m, 2d. At most 366d.'
export const momentHint = 'Write a duration (30s, 2h, 1d) or a time with its offset (2026-07-18T09:30:00Z).'

/** In seconds; undefined: not a duration. */
export function readDuration(text: string): number | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 60 || !duration.test(`${trimmed} `)) return undefined
  let seconds = 0
  for (const [, amount, unit] of trimmed.matchAll(part)) seconds += Number(amount) * unitSeconds[unit!]!
  return seconds <= secondsMax ? seconds : undefined
}

const instant = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/

/** What the tools that wait take; undefined: neither a duration nor a time. */
export function readMoment(text: string): { seconds: number } | { until: string } | undefined {
  const seconds = readDuration(text)
  if (seconds !== undefined) return { seconds }
  const day = instant.exec(text.trim())?.[1]
  const date = new Date(text.trim().replace(' ', 'T'))
  if (day === undefined || Number.isNaN(date.getTime())) return undefined
  // Date rolls 31 February over into March
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined
  return { until: date.toISOString() }
}
