// Decides which of a schedule's due times start a run now, which wait for the run before them, and which are dropped: a pure function.
import { latestDue, nextAfter, type Timing } from '../../base/schedule.ts'
import type { catchUps, overlaps } from './schedule.ts'

/** A due time that is found later than this was missed: the service was down, and catch_up says what to do with it. */
const missedAfterMs = 60_000
/** How many missed times of one schedule are fired later. A limit keeps a long outage from ending in a flood. */
const madeUpMax = 100

export interface Due extends Timing {
  recurring: boolean
  overlap: (typeof overlaps)[number]
  catch_up: (typeof catchUps)[number]
  next_run_at: Date | null
  /** When it is tried again, if it could not be fired at `next_run_at`. */
  retry_at: Date | null
  /** Due times that wait for their turn, oldest first. */
  held: Date[]
  /** A run of this schedule has not ended. */
  is_active: boolean
}

interface Firing {
  /** How many due times were found too late and are not made up for. */
  late: number
  start: Date[]
  held: Date[]
  next: Date | null
}

/** `busySince`: since when this process fires what is due. What waited for others in that time was not missed. */
export function decide(schedule: Due, now: Date, busySince = now): Firing {
  const { recurring, next_run_at, catch_up } = schedule
  // with the other values of catch_up, what waited counts as missed
  const seenAt = catch_up === 'none' ? busySince : now
  const isDue = next_run_at !== null && next_run_at <= now
  const { start, held, late } = sort(schedule, isDue ? dueUntil(schedule, next_run_at, now, seenAt) : [], seenAt)
  if (!isDue) return { late, start, held, next: next_run_at }
  // a schedule that fires once stays until it has fired: a dropped due time does not count
  const isSpent = !recurring && start.length + held.length > 0
  return { late, start, held, next: isSpent ? null : nextAfter(schedule, now) }
}

function dueUntil(schedule: Due, first: Date, now: Date, seenAt: Date): Date[] {
  // due times are whole minutes, so two at most are not missed, and one more for each minute that they waited
  const inTimeMax = 2 + Math.ceil((now.getTime() - seenAt.getTime()) / 60_000)
  const most = schedule.catch_up === 'all' ? madeUpMax : Math.min(inTimeMax, madeUpMax)
  const due = latestDue(schedule, first, now, schedule.recurring ? most : 1)
  return retryOf(schedule, first) !== undefined && due[0]! > first ? [first, ...due] : due
}

/** When a due time that could not be fired was to be tried again; undefined: it was not tried, or is made up for anyway. */
function retryOf({ catch_up, next_run_at, retry_at }: Due, at: Date): Date | undefined {
  const isTried = catch_up === 'none' && at.getTime() === next_run_at?.getTime()
  return isTried && retry_at !== null && retry_at >= at ? retry_at : undefined
}

function sort(schedule: Due, due: Date[], seenAt: Date): Omit<Firing, 'next'> {
  const { recurring, overlap, catch_up, held, is_active } = schedule
  const isMissed = (at: Date) => seenAt.getTime() - (retryOf(schedule, at) ?? at).getTime() > missedAfterMs
  const missed = due.filter(isMissed)
  const inTime = due.filter((at) => !isMissed(at)).slice(recurring ? 0 : -1)
  // a due time that is not missed replaces all missed ones before it
  const latest = catch_up === 'last' && inTime.length === 0 ? missed.slice(-1) : []
  const all = catch_up === 'all' ? missed : []
  const late = missed.length - all.length - latest.length
  if (overlap === 'allow') return { late, start: [...held, ...all, ...latest, ...inTime], held: [] }
  const line = [...held, ...all]
  const others = [...latest, ...inTime]
  const start = is_active ? [] : (line.length > 0 ? line : others).splice(0, 1)
  if (overlap === 'queue' && line.length === 0) line.push(...others.slice(0, 1))
  return { late, start, held: line.slice(-madeUpMax) }
}
