// Money, tokens, durations, sizes and counts as people read them, always with their units.

const counts = new Intl.NumberFormat('en')

export const count = (value: number): string => counts.format(value)

/** `3 runs`, `1 run`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** US dollars without their unit, for a column that names it. Small sums keep the digits that say something. */
export function dollars(value: number): string {
  if (value === 0) return '0.00'
  if (value < 0.01) return value < 0.0001 ? '<0.0001' : value.toFixed(4)
  return value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

export const money = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'unknown' : `${dollars(value)} USD`

const steps = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
  { unit: 's', ms: 1000 },
]

/** `20 ms`, `2.1 s`, `7 min 34 s`, `3 h 5 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  const at = steps.findIndex((step) => ms >= step.ms)
  const large = steps[at]
  if (!large) return `${(ms / 1000).toFixed(1)} s`
  const small = steps[at + 1]
  const whole = Math.floor(ms / large.ms)
  const rest = small ? Math.floor((ms % large.ms) / small.ms) : 0
  return small && rest > 0 ? `${whole} ${large.unit} ${rest} ${small.unit}` : `${whole} ${large.unit}`
}

const sizes = ['B', 'KB', 'MB', 'GB', 'TB']

export function bytes(value: number): string {
  let size = value
  let at = 0
  for (; size >= 1000 && at < sizes.length - 1; at += 1) size /= 1000
  return `${at === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${sizes[at]}`
}
