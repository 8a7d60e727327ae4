// Cron expressions of five fields: what is wrong with one, and the next time on a calendar that it fits. Knows no time zones.
import { Cron } from 'croner'
import { zip } from './zip.ts'
import { BoundedCache } from './boundedCache.ts'

interface Field {
  name: string
  from: number
  to: number
  words?: string[]
}

const dayOfMonth: Field = { name: 'day of the month', from: 1, to: 31 }
const monthOfYear: Field = {
  name: 'month',
  from: 1,
  to: 12,
  words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
}
const fields: Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  dayOfMonth,
  monthOfYear,
  // both 0 and 7 are Sunday
  { name: 'day of the week', from: 0, to: 7, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

/** Why this is not a cron expression, as the end of a sentence about it; undefined: it is one. */
export function cronProblem(cron: string): string | undefined {
  const given = cron.trim().split(/\s+/)
  if (given.length !== fields.length || cron.trim() === '') {
    return 'must have five fields: minute, hour, day of the month, month, day of the week'
  }
  for (const [text, field] of zip(given, fields)) {
    for (const item of text.split(',')) {
      const problem = itemProblem(item, field)
      if (problem !== undefined) return `has ${JSON.stringify(item)} as ${field.name}, ${problem}`
    }
  }
  return undefined
}

function itemProblem(item: string, field: Field): string | undefined {
  const match = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(item)
  if (!match) return 'which is not a *, number, range (1-5) or step (*/15)'
  const [, first, last, step] = match
  for (const given of [first, last]) {
    const value = given === undefined ? field.from : valueOf(given, field)
    if (!(value >= field.from && value <= field.to)) return `which must be ${rangeOf(field)}`
  }
  if (first !== undefined && last !== undefined && valueOf(first, field) > valueOf(last, field))
    return 'which ends before it begins'
  if (step === undefined) return undefined
  if (first !== undefined && last === undefined) return `whose step needs a range: ${first}-${field.to}/${step}`
  return Number(step) >= 1 && Number(step) <= field.to ? undefined : `whose step must be 1 to ${field.to}`
}

function valueOf(given: string, { from, words = [] }: Field): number {
  const place = words.indexOf(given.toLowerCase())
  if (place >= 0) return place + from
  return /^\d{1,2}$/.test(given) ? Number(given) : Number.NaN
}

const rangeOf = ({ from, to, words }: Field): string =>
  `${from} to ${to}${words ? `, or ${words[0]} to ${words.at(-1)}` : ''}`

/** The longest that each month can be. */
const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether no month that it names has any of its days, such as 30 February. The search for one would go through thousands of years. */
function fitsNoDate(cron: string): boolean {
  const [, , days = '', months = '', weekdays] = cron.trim().split(/\s+/)
  // with a day of the week, either of the two is enough
  if (weekdays !== '*') return false
  const firstDay = Math.min(...days.split(',').map((item) => firstOf(item, dayOfMonth)))
  return months
    .split(',')
    .flatMap((item) => monthsOf(item))
    .every((month) => (daysOfMonths[month - 1] ?? 0) < firstDay)
}

const firstOf = (item: string, field: Field): number =>
  item.startsWith('*') ? field.from : valueOf(/^\w*/.exec(item)?.[0] ?? '', field)

function monthsOf(item: string): number[] {
  const [range = '', step = '1'] = item.split('/')
  const [first = 1, last = first] = range === '*' ? [1, 12] : range.split('-').map((word) => valueOf(word, monthOfYear))
  const months: number[] = []
  for (let month = first; month <= last; month += Number(step)) months.push(month)
  return months
}

const parsed = new BoundedCache<Cron | null>({ name: 'cron expressions', entriesMax: 1000 })

/** The first minute after `wall` that fits; undefined: none ever does. */
export function nextFit(cron: string, wall: number): number | undefined {
  // a zero offset keeps croner from asking for a time zone, which costs ten times as much
  const known = parsed.getOrMake(cron, () => (fitsNoDate(cron) ? null : new Cron(cron, { utcOffset: 0, paused: true })))
  return known?.nextRun(new Date(wall))?.getTime()
}
