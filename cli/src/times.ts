// Times as people read them in a table: how long ago, and how long.

const units: [seconds: number, name: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
]

/** `5s`, `3m`, `2h`, `4d`. */
export function lengthOf(seconds: number): string {
  const unit = units.find(([size]) => seconds >= size)
  return unit ? `${Math.floor(seconds / unit[0])}${unit[1]}` : `${Math.max(0, Math.floor(seconds))}s`
}

export const ageOf = (time: string, now = Date.now()): string => lengthOf((now - Date.parse(time)) / 1000)

/** Empty before the start; until now while it is not over. */
export function durationOf(from: string | null, until: string | null, now = Date.now()): string {
  if (from === null) return ''
  const ms = (until === null ? now : Date.parse(until)) - Date.parse(from)
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : lengthOf(ms / 1000)
}
