// The filters of the audit log as the API takes them: days of the person's zone become moments.
import { chosen } from '../../../app/search.ts'
import type { PeopleSearch } from '../search.ts'

export interface AuditFilter {
  operation?: string
  user_id?: string
  since?: string
  until?: string
}

export function auditFilter(search: Pick<PeopleSearch, 'operation' | 'user_id' | 'since' | 'until'>, isUtc: boolean) {
  const { operation, user_id, since, until } = search
  return chosen({
    operation,
    user_id,
    since: since === undefined ? undefined : startOf(since, 0, isUtc),
    // the last day is whole
    until: until === undefined ? undefined : startOf(until, 1, isUtc),
  }) satisfies AuditFilter
}

/** The first moment of a day, or of one that is this many days later. What is not a day is left out. */
export function startOf(day: string, later: number, isUtc: boolean): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  if (year === undefined) return undefined
  const parts = [Number(year), Number(month) - 1, Number(date) + later] as const
  const moment = isUtc ? new Date(Date.UTC(...parts)) : new Date(...parts)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}
