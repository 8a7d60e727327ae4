// The span of days that a request for usage asks for, as whole days of UTC.
import type { Sql } from '../../base/db.ts'
import { currentMonth, type Days } from '../../engine/counting/usage.ts'
import { instant, Type } from '../../kit/schema.ts'

const daysMax = 400
const dayMs = 86_400_000
/** The last day of the years that a date can be written with. */
const lastDay = Date.UTC(9999, 11, 31)

export const daysFields = {
  since: Type.Optional(instant('The first day; a time counts as its whole day.')),
  until: Type.Optional(instant(`Days before this time, at most ${daysMax}; a time counts as its whole day.`)),
}

export const daysRule =
  'Without `since` it begins with the month in which `until` lies. Without `until` it ends with the current ' +
  `month, or ${daysMax} days after \`since\`. Without both it is the current month.`

export async function daysAsked(
  sql: Sql,
  query: { since?: string; until?: string },
  fail: (code: 'invalid_request', message: string) => never,
): Promise<Days> {
  const month = await currentMonth(sql)
  const monthEnd = Date.parse(month.until)
  const asked = query.until === undefined ? monthEnd : startOfDay(Date.parse(query.until) + dayMs - 1)
  const since = query.since === undefined ? startOfMonth(asked - 1) : startOfDay(Date.parse(query.since))
  const until = Math.min(query.until === undefined ? since + daysMax * dayMs : asked, asked, lastDay)
  const length = (until - since) / dayMs
  if (length < 1) fail('invalid_request', 'until must be later than since. Give a later until, or an earlier since.')
  if (length > daysMax) {
    const says = `since and until are ${length} days apart, and at most ${daysMax} can be read at once. Ask for fewer.`
    fail('invalid_request', says)
  }
  return { since: dayOf(since), until: dayOf(until) }
}

const startOfMonth = (ms: number): number => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth())
const startOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
