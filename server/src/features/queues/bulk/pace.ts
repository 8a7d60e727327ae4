// How fast a bulk action in the background goes: at full speed while nobody else works in the database, with rests while others do.
import { part, type Part } from '../../../base/db.ts'

interface Pace {
  /** How many times as long as it works the action rests; 0 is full speed. */
  restTimes: number
  /** How many cases one transaction has. */
  cases: number
}

/**
 * Counts the other connections that have begun or ended a statement within ten milliseconds, whichever process they belong to: under a
 * load of short statements, hardly one is active at a given moment. The count is inside the statement that changes cases. A separate
 * statement would run just when Node got a processor and sends everything that it has to send, and it would count that.
 * An idle process looks for work by itself, which counts for 0.17 (0.25 is taken off); 150 requests a second count for 1.3 to 1.8, 600 for 3 to 5.
 */
export const othersAtWork: Part = part`
  (select count(*) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and (state = 'active' or state_change > clock_timestamp() - interval '10 ms')) - 0.25::real * (select count(*) from processes)`

/** A transaction takes 60 to 100 ms at full speed: nobody waits longer than this for a case that the action holds. */
const fast: Pace = { restTimes: 0, cases: 500 }
/** With rests, a transaction of this size takes about as long, so the load is measured about as often. */
const casesWithRests = 100
/** More rest hardly lowers the p99 of a read beside it (docs/proofs/bench.md). */
const restTimesMax = 6
const restTimesForEachOther = 4
/** Below this the load is the noise of idle processes. */
const loadMin = 0.5
/** The load is an average over about ten measurements, which is a second. */
const weightOfLook = 0.15
/** The load is unknown before the first measurements, so an action begins with rests. */
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
