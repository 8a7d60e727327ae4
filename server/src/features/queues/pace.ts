// How fast a bulk action in the background goes: at full speed while nobody else works in the database, with rests while others do.
import { part, type Part } from '../../base/db.ts'

export interface Pace {
  /** Rests so many times as long as it works; 0: full speed. */
  restTimes: number
  /** Of one transaction. */
  cases: number
}

/**
 * Counts the other connections that have begun or ended a statement within ten milliseconds, whichever process they belong to: of a load
 * of short statements hardly one is seen at work at a given moment. It stands inside the statement that changes cases. As a statement of
 * its own it would run just when Node has been given a processor and sends all that it has to send, and count that.
 * An idle process looks for work by itself, which counts for 0.17 (0.25 is taken off); 150 requests a second count for 1.3 to 1.8, 600 for 3 to 5.
 */
export const othersAtWork: Part = part`
  (select count(*) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and (state = 'active' or state_change > clock_timestamp() - interval '10 ms')) - 0.25::real * (select count(*) from processes)`

/** 60 to 100 ms at full speed: nobody waits longer than this for a case that the action holds. */
const fast: Pace = { restTimes: 0, cases: 500 }
/** With rests a transaction of this size takes about as long, and the load is looked at about as often. */
const casesWithRests = 100
/** With more rest the p99 of a read beside it hardly falls (docs/proofs/bench.md). */
const restTimesMax = 6
const restTimesForEachOther = 4
/** Below this the load is the noise of idle processes. */
const loadMin = 0.5
/** The load is an average over about ten looks, which is a second. */
const weightOfLook = 0.15
/** Nobody knows the load before the first looks, so an action begins with rests. */
const loadAtFirst = 1.5

export class Pacer {
  #load = loadAtFirst

  get pace(): Pace {
    if (this.#load < loadMin) return fast
    return { restTimes: Math.min(restTimesMax, this.#load * restTimesForEachOther), cases: casesWithRests }
  }

  note(others: number): void {
    this.#load += (Math.max(0, others) - this.#load) * weightOfLook
  }
}
