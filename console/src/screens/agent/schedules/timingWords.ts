// A schedule in words, and the fields that each frequency needs.
import type { Schedule } from '@runyard/sdk'

export type Frequency = Schedule['frequency']
export type TimingField = 'time' | 'day' | 'day_of_month' | 'cron'

export const frequencies: { value: Frequency; label: string; needs: TimingField[] }[] = [
  { value: 'workday', label: 'Every workday', needs: ['time'] },
  { value: 'daily', label: 'Every day', needs: ['time'] },
  { value: 'weekly', label: 'Every week', needs: ['day', 'time'] },
  { value: 'monthly', label: 'Every month', needs: ['day_of_month', 'time'] },
  { value: 'hourly', label: 'Every hour', needs: [] },
  { value: 'every_15_minutes', label: 'Every 15 minutes', needs: [] },
  { value: 'every_5_minutes', label: 'Every 5 minutes', needs: [] },
  { value: 'custom', label: 'By a cron expression', needs: ['cron'] },
]

export const needsOf = (frequency: Frequency): TimingField[] =>
  frequencies.find(({ value }) => value === frequency)?.needs ?? []

export const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

type Timing = Pick<Schedule, 'frequency' | 'time' | 'day' | 'day_of_month' | 'cron'>

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** `Workdays at 07:30`, `Mondays at 09:00`, `Day 1 of the month at 06:00`. */
export function timingWords({ frequency, time, day, day_of_month, cron }: Timing): string {
  if (frequency === 'workday') return `Workdays at ${time}`
  if (frequency === 'daily') return `Every day at ${time}`
  if (frequency === 'weekly') return `${capital(day ?? '')}s at ${time}`
  if (frequency === 'monthly') return `Day ${day_of_month} of the month at ${time}`
  if (frequency === 'custom') return `Cron ${cron}`
  return frequencies.find(({ value }) => value === frequency)?.label ?? frequency
}

/** `Mon 16 Nov, 09:00` */
export const inZone = (iso: string, timeZone: string): string =>
  new Date(iso).toLocaleString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })

/** Those that a browser knows, with UTC first. */
export const zones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
