// How values are shown: numbers short or in full, dollars, shares, durations and times.
import { jsonOf } from '../expression/text.ts'
import type { ColumnKind } from './pageTable.ts'

const digitsMax = 40

/** A number, or a text that is one: databases give large and exact numbers as text. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.length > digitsMax || !/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value))
    return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

const moment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/

/** A moment, from a text such as 2026-11-16 or 2026-11-16T09:00:00Z. One without a zone is of UTC. */
export function timeOf(value: unknown): number | null {
  const match = typeof value === 'string' ? moment.exec(value) : null
  if (!match) return null
  const [, day, clock = '00:00', zone = 'Z'] = match
  // PostgreSQL writes whole hours only, +02
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const time = Date.parse(`${day}T${clock}${offset}`)
  return Number.isNaN(time) ? null : time
}

const minus = '\u2212'
const signed = (value: number, text: string): string => (value < 0 ? minus + text : text)

const scales: [number, string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
]

/** 12.4k, 3M, 0.25: three digits that count. */
function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15) return value.toExponential(1).replace('e+', 'e').replace('-', minus)
  for (const [scale, letter] of scales) {
    // 999,950 is 1M, not 1000k
    if (size >= scale * 0.99995)
      return signed(value, `${trimmed(size / scale, size / scale >= 99.95 ? 0 : 1)}${letter}`)
  }
  if (size >= 100 || Number.isInteger(size)) return signed(value, trimmed(size, size >= 100 ? 0 : 1))
  if (size === 0) return '0'
  if (size < 1e-6) return value.toExponential(1).replace('-', value < 0 ? minus : '-')
  return signed(value, trimmed(size, size >= 10 ? 1 : size >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(size)))))
}

const trimmed = (value: number, digits: number): string => {
  const text = value.toFixed(digits)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** With thousands apart, as a table shows it. */
function fullNumber(value: number, digits = 4): string {
  const size = Math.abs(value)
  if (size >= 1e15) return shortNumber(value)
  if (size !== 0 && size < 10 ** -digits) return shortNumber(value)
  const [whole, rest] = trimmed(size, digits).split('.') as [string, string?]
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return signed(value, rest === undefined ? grouped : `${grouped}.${rest}`)
}

function usd(value: number, isShort: boolean): string {
  const size = Math.abs(value)
  if (isShort && size >= 100_000) return signed(value, `$${shortNumber(size)}`)
  if (size !== 0 && size < 0.01)
    return signed(value, `$${trimmed(size, Math.min(8, 1 - Math.floor(Math.log10(size))))}`)
  if (size >= 1e15) return signed(value, `$${shortNumber(size)}`)
  const [whole, cents = '00'] = size.toFixed(isShort && size >= 1000 ? 0 : 2).split('.') as [string, string?]
  const isWhole = isShort && cents === '00'
  return signed(value, `$${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}${isWhole ? '' : `.${cents}`}`)
}

function percent(value: number): string {
  const share = value * 100
  const size = Math.abs(share)
  if (size >= 1e6) return `${shortNumber(share)}%`
  return signed(share, `${trimmed(size, size >= 100 || size === 0 ? 0 : size >= 1 ? 1 : 2)}%`)
}

const units: [number, string, number, string][] = [
  [86_400, 'd', 3600, 'h'],
  [3600, 'h', 60, 'min'],
  [60, 'min', 1, 's'],
]

/** Seconds as 2 h 5 min; below a second in milliseconds. */
function duration(value: number): string {
  const size = Math.abs(value)
  if (size >= 86_400 * 1000) return signed(value, `${shortNumber(Math.round(size / 86_400))} d`)
  for (const [unit, name, smaller, smallName] of units) {
    if (size < unit) continue
    const parts = Math.round(size / smaller)
    const [large, small] = [Math.floor(parts / (unit / smaller)), parts % (unit / smaller)]
    return signed(value, small === 0 ? `${large} ${name}` : `${large} ${name} ${small} ${smallName}`)
  }
  if (size >= 1) return signed(value, `${trimmed(size, size >= 10 ? 0 : 1)} s`)
  return size === 0 ? '0 s' : signed(value, `${trimmed(size * 1000, size >= 0.01 ? 0 : 1)} ms`)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (value: number): string => String(value).padStart(2, '0')

export const dayOf = (at: Date): string => `${at.getUTCDate()} ${months[at.getUTCMonth()]!}`
export const monthOf = (at: Date): string => `${months[at.getUTCMonth()]!} ${at.getUTCFullYear()}`
export const clockOf = (at: Date): string => `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`

const dateOf = (at: Date): string => `${dayOf(at)} ${at.getUTCFullYear()}`

/** 16 Nov 2026, 09:30. */
export const momentOf = (at: Date): string => `${dateOf(at)}, ${clockOf(at)}`

/** A number as its kind shows it. Short forms are for axes and big figures. */
export function shownNumber(value: number, kind: ColumnKind, isShort: boolean): string {
  if (kind === 'usd') return usd(value, isShort)
  if (kind === 'percent') return percent(value)
  if (kind === 'duration') return duration(value)
  return isShort ? shortNumber(value) : fullNumber(value)
}

/** What is shown where there is no value. */
export const noValue = '\u2013'

const isBareDate = (value: unknown): boolean => typeof value === 'string' && value.length === '2026-11-16'.length

/** Any value as text of a page. */
export function shownValue(value: unknown, kind: ColumnKind = 'text', isShort = false): string {
  if (value === null || value === undefined || value === '') return noValue
  if (kind === 'time') {
    const time = timeOf(value)
    // a bare date has no clock to show
    if (time !== null) return isBareDate(value) ? dateOf(new Date(time)) : momentOf(new Date(time))
  } else if (kind !== 'text') {
    const number = numberOf(value)
    if (number !== null) return shownNumber(number, kind, isShort)
  }
  return typeof value === 'string' ? value : jsonOf(value)
}
