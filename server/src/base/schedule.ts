// When a schedule is due: pure, from its timing and an instant. Daylight saving neither loses nor doubles a due time.
import { mustHave } from './mustHave.ts'
import { nextFit } from './cron.ts'
import { changeBetween, firstInstantOf, offsetAt } from './wallClock.ts'

export const frequencies = [
  'every_5_minutes',
  'every_15_minutes',
  'hourly',
  'daily',
  'workday',
  'weekly',
  'monthly',
  'custom',
] as const
export type Frequency = (typeof frequencies)[number]

export const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
type Day = (typeof days)[number]

export interface Timing {
  frequency: Frequency
  /** HH:MM on the wall of the time zone; with daily to monthly. */
  time: string | null
  /** With weekly. */
  day: Day | null
  /** With monthly; in a shorter month its last day. */
  day_of_month: number | null
  /** Five fields; with custom. */
  cron: string | null
  /** An IANA name. */
  timezone: string
}

/** The first due time after an instant; null: there is none, ever. */
export function nextAfter(timing: Timing, after: Date): Date | null {
  const crons = cronsOf(timing)
  const fit = (wall: number): number | undefined => {
    const found = crons.map((cron) => nextFit(cron, wall)).filter((one) => one !== undefined)
    return found.length === 0 ? undefined : Math.min(...found)
  }
  const find = isOfEveryHour(crons) ? nextShown : nextNamed
  const at = find(timing.timezone, fit, after.getTime())
  return at === undefined ? null : new Date(at)
}

export function nextFive(timing: Timing, after: Date): Date[] {
  const found: Date[] = []
  for (let at = nextAfter(timing, after); at !== null && found.length < 5; at = nextAfter(timing, at)) found.push(at)
  return found
}

/** The latest due times from `first`, which is one itself, until an instant: oldest first, and at most `most`. */
export function latestDue(timing: Timing, first: Date, until: Date, most: number): Date[] {
  const found: Date[] = []
  for (let end = until; end >= first && found.length < most; end = new Date(end.getTime() - 1)) {
    end = lastOf(timing, first, end)
    found.unshift(end)
  }
  return found
}

/** Searches by halves: after a year without service an every-minute schedule has half a million due times, and only the last few matter. */
function lastOf(timing: Timing, first: Date, until: Date): Date {
  let last = first
  let end = until.getTime()
  for (;;) {
    const next = nextAfter(timing, last)
    if (next === null || next > until) return last
    const middle = (next.getTime() + end) / 2
    const later = nextAfter(timing, new Date(middle))
    if (later !== null && later <= until) last = later
    else {
      last = next
      end = middle
    }
  }
}

/** A timing as one or two cron expressions, so that only one piece of code knows what a month or a week is. */
function cronsOf(timing: Timing): string[] {
  const [hour, minute] = (timing.time ?? '0:0').split(':').map(Number)
  return cronsBy[timing.frequency](`${minute} ${hour}`, timing)
}

const cronsBy: Record<Frequency, (at: string, timing: Timing) => string[]> = {
  every_5_minutes: () => ['*/5 * * * *'],
  every_15_minutes: () => ['*/15 * * * *'],
  hourly: () => ['0 * * * *'],
  daily: (at) => [`${at} * * *`],
  workday: (at) => [`${at} * * 1-5`],
  weekly: (at, { day }) => [`${at} * * ${days.indexOf(mustHave(day, 'the day of a weekly schedule')) + 1}`],
  monthly: (at, { day_of_month }) => monthly(at, mustHave(day_of_month, 'the day of a monthly schedule')),
  custom: (_at, { cron }) => [mustHave(cron, 'the expression of a custom schedule').trim()],
}

/** `L` is the last day of a month: the 31st always means that one, the 29th and 30th only in February. */
function monthly(at: string, day: number): string[] {
  if (day <= 28) return [`${at} ${day} * *`]
  return day === 31 ? [`${at} L * *`] : [`${at} ${day} 1,3-12 *`, `${at} L 2 *`]
}

/** Such a schedule names no hour, so it goes by the time that passes: an hour that comes twice has its due times twice, one that is skipped none. */
const isOfEveryHour = (crons: string[]): boolean => /^\S+\s+\*(\s|$)/.test(crons[0] ?? '')

type Fit = (wall: number) => number | undefined

/** The next time on the wall: once, when the wall shows it first; where it is skipped, at the instant of the skip. */
function nextNamed(zone: string, fit: Fit, after: number): number | undefined {
  let wall: number | undefined = after + offsetAt(zone, after)
  for (;;) {
    wall = fit(wall)
    if (wall === undefined) return undefined
    const at = firstInstantOf(zone, wall)
    // in the second pass of an hour the wall shows times again whose first pass is over
    if (at > after) return at
  }
}

/** The next instant at which the wall shows a fitting time, whether it showed it before or not. */
function nextShown(zone: string, fit: Fit, after: number): number | undefined {
  let offset = offsetAt(zone, after)
  let wall = after + offset
  let from = after
  for (;;) {
    const fitting = fit(wall)
    if (fitting === undefined) return undefined
    const at = fitting - offset
    if (offsetAt(zone, at) === offset) return at
    // the clock changes before that time: continue the search from the instant of the change, which is included
    from = changeBetween(zone, from, at)
    offset = offsetAt(zone, from)
    wall = from + offset - 1
  }
}
