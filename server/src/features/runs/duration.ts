// Spans of time as people say them.

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** `3 d 4 h`, `2 min 5 s`, `12 s`, `340 ms`: the two largest units. */
export function spanOf(ms: number): string {
  const first = units.findIndex(([, size]) => ms >= size)
  if (first < 0) return `${Math.max(0, Math.round(ms))} ms`
  const [name, size] = units[first]!
  const whole = Math.floor(ms / size)
  const next = units[first + 1]
  const rest = next ? Math.floor((ms % size) / next[1]) : 0
  return rest > 0 ? `${whole} ${name} ${rest} ${next![0]}` : `${whole} ${name}`
}
