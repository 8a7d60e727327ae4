// The ages of open cases in words.
import type { GetCaseAgesAnswer } from '@runyard/sdk'

export const openStatuses = ['pending', 'in_progress', 'needs_input', 'postponed'] as const
type OpenStatus = (typeof openStatuses)[number]

export interface Age {
  /** In seconds; `until` null: any age from here on. */
  from: number
  until: number | null
  /** Below the bar: `4 h`. */
  says: string
  /** In a sentence: `made 1 to 4 hours ago`. */
  long: string
  counts: Record<OpenStatus, number>
  total: number
}

const day = 86_400

const amount = (seconds: number): string => (seconds < day ? `${seconds / 3600} h` : `${seconds / day} d`)

export const agesOf = (ages: GetCaseAgesAnswer['ages']): Age[] =>
  ages.map(({ from_seconds: from, until_seconds: until, ...counts }) => ({
    from,
    until,
    says: until === null ? `> ${amount(from)}` : `< ${amount(until)}`,
    long:
      until === null
        ? `made more than ${amount(from)} ago`
        : from === 0
          ? `made in the last ${amount(until)}`
          : `made ${amount(from)} to ${amount(until)} ago`,
    counts,
    total: openStatuses.reduce((sum, status) => sum + counts[status], 0),
  }))
