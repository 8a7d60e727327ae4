// Times as people read them in a table: how long ago, and how long.

import { UsageError } from './command.ts'

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
  return tookText(ms)
}

/** `0.4s`, `12s`, `3m`. */
export const tookText = (ms: number): string => (ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : lengthOf(ms / 1000))

/** The time of something under way, to the second: `0.4s`, `12s`, `3m05s`, `2h07m`, `4d03h`. */
export function elapsedText(ms: number): string {
  if (ms < 10_000) return tookText(Math.max(0, ms))
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const [size, name, lower, lowerName] =
    seconds < 3600
      ? ([60, 'm', 1, 's'] as const)
      : seconds < 86_400
        ? ([3600, 'h', 60, 'm'] as const)
        : ([86_400, 'd', 3600, 'h'] as const)
  return `${Math.floor(seconds / size)}${name}${String(Math.floor((seconds % size) / lower)).padStart(2, '0')}${lowerName}`
}

const inMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `90s`, `10m`, `1.5h`; seconds without a unit. */
export function msOf(text: string, option: string): number {
  const [, number, unit = 's'] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text) ?? []
  const ms = Number(number) * inMs[unit as keyof typeof inMs]
  // the longest that a timer of Node can wait
  if (!(ms > 0 && ms < 2 ** 31)) throw new UsageError(`${option} must be a length of time such as 30s, 10m or 2h.`)
  return ms
}
