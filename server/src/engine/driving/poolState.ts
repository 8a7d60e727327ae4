// What a run pool knows: the runs that it holds, its seats, and who waits until it is idle.
import { teamShare } from '../../base/fairPool.ts'
import { createOnceMore, type OnceMore } from '../../base/onceMore.ts'
import type { SuspectSeat } from '../../kit/suspectProcesses.ts'
import type { Context } from '../../kit/context.ts'
import type { ClaimedRun, Suspect } from '../admission/claim.ts'
import { newSeatBook, takenSeats, type SeatBook } from '../admission/seat.ts'
import type { Hold } from './heldRun.ts'

export interface RunPoolOptions {
  context: Context
  workerId: string
  seats: number
  /** Aborted when this process must no longer believe that its runs are its own. */
  lost: () => AbortSignal
  /** `seat` is the seat of a suspect in a process for suspects. */
  drive: (run: ClaimedRun, hold: Hold, seat?: SuspectSeat) => Promise<void>
  /** The seat of a suspect, without which it is not claimed. Without this function suspects are driven like any other run. */
  seatFor?: ((suspect: Suspect) => SuspectSeat | undefined) | undefined
  /** Whether this process may still continue this run. */
  isOurs?: (run: ClaimedRun) => boolean
}

/** The reason for dropping a held run without a log line: another process has it, or it was stopped. */
export class Dropped extends Error {}
export class OutOfTime extends Error {}

interface PoolRun {
  run: ClaimedRun
  /** Ends the calls and the writes of the run; the end of the run's time ends only its calls. */
  controller: AbortController
  /** The same run, as this process held it before it lost it. */
  before?: PoolRun
}

export interface Pool {
  options: RunPoolOptions
  held: Map<string, PoolRun>
  book: SeatBook
  /** Teams that were at their share when ready runs were last claimed: some of their runs may have been left. */
  leftOut: Set<string>
  isStopping: boolean
  /** Claims what is ready, and once more if something became ready at the same time. */
  claiming: OnceMore<void>
  /** Something became ready while all seats were taken or reserved. */
  isMissed: boolean
  idleWaiters: (() => void)[]
  releaseWaiters: Map<string, () => void>
  /** Ours in the database and unknown here, at the last poll: id and epoch. */
  strays: Map<string, number>
  polls: number
}

/** `claim` takes runs for the free seats; it is not called without any. */
export function newPool(options: RunPoolOptions, claim: (pool: Pool) => Promise<void>): Pool {
  const held = new Map<string, PoolRun>()
  const pool: Pool = {
    options,
    held,
    book: newSeatBook(options.seats, teamShare(options.seats, options.context.config.teamShare), held),
    leftOut: new Set(),
    isStopping: false,
    claiming: createOnceMore({
      async run() {
        pool.isMissed = freeSeats(pool) === 0
        if (!pool.isMissed) await claim(pool)
      },
      onError: (error) => options.context.log.warn({ err: error }, 'runs could not be claimed; will retry'),
      onRest: () => announceIdle(pool),
    }),
    isMissed: false,
    idleWaiters: [],
    releaseWaiters: new Map(),
    strays: new Map(),
    polls: 0,
  }
  return pool
}

/** A process that cannot prove that it lives takes nothing: its claims would be cut off at once, and claimed again, and so on. */
export function freeSeats({ isStopping, options, book }: Pool): number {
  return isStopping || options.lost().aborted ? 0 : Math.max(0, book.seats - takenSeats(book))
}

export function cutOff(one: PoolRun | undefined): void {
  for (let each = one; each; each = each.before) each.controller.abort(new Dropped())
}

export function announceIdle(pool: Pool): void {
  if (takenSeats(pool.book) > 0 || pool.claiming.isRunning()) return
  for (const waiter of pool.idleWaiters) waiter()
  pool.idleWaiters = []
}

export function whenEmpty(pool: Pool): Promise<void> {
  if (takenSeats(pool.book) === 0) return Promise.resolve()
  return new Promise((resolve) => {
    pool.idleWaiters.push(resolve)
  })
}
