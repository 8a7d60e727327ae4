// How many rows a list shows: `--limit`, twenty unless given.
import { UsageError } from './command.ts'

const usualCount = 20

export const limitOption = {
  type: 'string',
  short: 'n',
  value: 'N',
  says: `how many; ${usualCount} unless given, 0 for all`,
} as const

/** Infinity for 0. */
export function countOf(text: string | undefined): number {
  if (text === undefined) return usualCount
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--limit must be a whole number.')
  return Number(text) || Infinity
}
