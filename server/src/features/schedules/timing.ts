// The timing that a caller wants: which field goes with which frequency, and whether there is any such time at all.
import { cronProblem } from '../../base/cron.ts'
import { nextAfter, type Frequency, type Timing } from '../../base/schedule.ts'
import { Fault } from '../../base/errors.ts'
import { isTimezone } from '../../base/wallClock.ts'
import { refuseFor } from '../../kit/problems.ts'

type Field = 'time' | 'day' | 'day_of_month' | 'cron'

const fieldsOf: Record<Frequency, readonly Field[]> = {
  every_5_minutes: [],
  every_15_minutes: [],
  hourly: [],
  daily: ['time'],
  workday: ['time'],
  weekly: ['time', 'day'],
  monthly: ['time', 'day_of_month'],
  custom: ['cron'],
}

const examples: Record<Field, string> = {
  time: 'HH:MM, such as 09:00',
  day: 'monday to sunday',
  day_of_month: '1 to 31',
  cron: 'five fields, such as 0 9 * * mon-fri',
}

type GivenTiming = { [Name in keyof Timing]?: Timing[Name] | null | undefined }

/** What is stored of each field when nothing is given for it; null clears one. */
type Stored = Partial<Timing>

/** The whole timing of a new schedule, or of one that is changed: there, fields that its frequency does not use are cleared. */
export function requireTiming(given: GivenTiming, stored: Stored): Timing {
  const problems: string[] = []
  const frequency = given.frequency ?? stored.frequency
  if (!frequency) throw new Fault('invalid_request', 'frequency is missing.')
  const timing: Timing = {
    frequency,
    time: fieldFor('time', frequency, given, stored, problems),
    day: fieldFor('day', frequency, given, stored, problems),
    day_of_month: fieldFor('day_of_month', frequency, given, stored, problems),
    cron: fieldFor('cron', frequency, given, stored, problems)?.trim() ?? null,
    timezone: given.timezone === undefined ? (stored.timezone ?? 'UTC') : (given.timezone ?? 'UTC'),
  }
  if (!isTimezone(timing.timezone)) {
    problems.push('timezone is not known here. Give an IANA name, such as Europe/Berlin or UTC.')
  }
  const problem = timing.cron === null ? undefined : cronProblem(timing.cron)
  if (problem !== undefined) problems.push(`cron ${problem}.`)
  refuseFor(problems)
  if (nextAfter(timing, new Date()) === null) {
    refuseFor(['cron fits no date that ever comes. Check its day of the month against its month.'])
  }
  return timing
}

function fieldFor<Name extends Field>(
  name: Name,
  frequency: Frequency,
  given: GivenTiming,
  stored: Stored,
  problems: string[],
): Timing[Name] | null {
  const isUsed = fieldsOf[frequency].includes(name)
  const value = given[name] === undefined && isUsed ? stored[name] : given[name]
  if (!isUsed && value !== undefined && value !== null) {
    const users = Object.entries(fieldsOf).flatMap(([one, used]) => (used.includes(name) ? [one] : []))
    problems.push(`${name} does not go with frequency ${frequency}, only with ${users.join(', ')}.`)
  }
  if (isUsed && (value === undefined || value === null)) {
    problems.push(`${name} is missing: frequency ${frequency} needs it (${examples[name]}).`)
  }
  return value ?? null
}

export const isSameTiming = (one: Timing, other: Timing): boolean =>
  (['frequency', 'time', 'day', 'day_of_month', 'cron', 'timezone'] as const).every((name) => one[name] === other[name])
