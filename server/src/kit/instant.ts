// Times as callers write them: any ISO 8601 instant, converted to the one form that is stored and answered.
import { Format } from 'typebox/format'

const written = /^(\d{4})-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?))?$/

/** The instant in UTC with milliseconds, or undefined. A bare date is its midnight in UTC; a time needs its offset. */
export function readInstant(text: string): string | undefined {
  const match = written.exec(text)
  if (!match || match[1] === '0000') return undefined
  const spelled = text
    .replace(',', '.')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
    .replace(/T(.*[+-]\d{2})$/i, 'T$1:00')
  const date = new Date(spelled)
  // Date rolls 31 February over into March; what was written must be what is meant
  if (Number.isNaN(date.getTime()) || !isRealDay(text) || date.getUTCFullYear() > 9999) return undefined
  return date.toISOString()
}

function isRealDay(text: string): boolean {
  const day = text.slice(0, 10)
  const midnight = new Date(`${day}T00:00:00.000Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === day
}

// every `format: date-time` in the declarations means this, in bodies as in queries
Format.Set('date-time', (text) => readInstant(text) !== undefined)
