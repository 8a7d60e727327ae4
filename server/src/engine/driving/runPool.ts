// The runs of one process: it takes what is ready while it has seats, drives each run, and drops at once what is no longer its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing } from '../../base/db.ts'
import { longTimer } from '../../base/longTimer.ts'
import { StoreAway } from '../../drivers/blobs/objectStore.ts'
import type { SuspectSeat } from '../../kit/suspectProcesses.ts'
import { claimRuns, claimSuspects, giveBack, readClaimed, readSuspects, type ClaimedRun } from '../admission/claim.ts'
import {
  countByTeam,
  isAtShare,
  releaseSeats,
  reserveSeats,
  seatsByTeam,
  type Reservation,
  type ReservedSeats,
} from '../admission/seat.ts'
import { readEpochs } from '../ledger/apply.ts'
import { Fenced, LimitReached, Yielded } from './leaving.ts'
import { durationSentence, timeLeftMs } from './limits.ts'
import {
  announceIdle,
  cutOff,
  Dropped,
  freeSeats,
  newPool,
  OutOfTime,
  whenEmpty,
  type Pool,
  type RunPoolOptions,
} from './poolState.ts'

export interface RunPool {
  /** Something may be ready. */
  notify(): void
  /** The same for a process that was called alone. Answers whether it could take everything: otherwise the others must be called. */
  called(): Promise<boolean>
  /** Reserves free seats for runs that are about to be claimed, by team. */
  reserve(wanted: ReadonlyMap<string, number>): ReservedSeats
  /** Drops runs that were stopped. */
  drop(ids: string[]): void
  /** Finds what notifications may have missed: runs that are no longer ours. */
  poll(): Promise<void>
  /** Resolves when no run is held and none is ready. */
  idle(): Promise<void>
  /** Resolves when this run is not held, at once if it never was. */
  released(id: string): Promise<void>
  /** No new runs. Those held finish the step at hand and are given back; when the time is over they are cut off. */
  stop(drainMs: number): Promise<void>
}

const toSaySoMs = 60_000

/** How often, in polls, the database is asked what it believes this process to hold. */
const straysEvery = 10

export function createRunPool(options: RunPoolOptions): RunPool {
  const pool = newPool(options, claimAll)
  const { workerId } = options
  const pools = options.context.config.workerPools
  return {
    notify: () => pool.claiming.ask(),
    async called() {
      pool.claiming.ask()
      await pool.claiming.settled()
      return !pool.isMissed && pool.leftOut.size === 0
    },
    reserve(wanted) {
      const reservation = reserveSeats(pool.book, wanted, freeSeats(pool))
      const { count, perTeam } = reservation
      return { workerId, count, perTeam, pools, fill: (claimed) => fill(pool, reservation, claimed) }
    },
    drop(ids) {
      for (const id of ids) cutOff(pool.held.get(id))
    },
    poll: () => poll(pool),
    idle() {
      return new Promise((resolve) => {
        pool.idleWaiters.push(resolve)
        pool.claiming.ask()
        announceIdle(pool)
      })
    },
    released: (id) => released(pool, id),
    stop: (drainMs) => stop(pool, drainMs),
  }
}

async function claimAll(pool: Pool): Promise<void> {
  const { book, options } = pool
  const { perTeam } = book
  if (freeSeats(pool) > 0) await takeSuspects(pool)
  while (freeSeats(pool) > 0) {
    const asked = freeSeats(pool)
    const counts = seatsByTeam(book)
    const may = { perTeam, held: counts, pools: options.context.config.workerPools }
    const runs = await claimRuns(options.context.db.sql, options.workerId, asked, may)
    for (const run of runs) take(pool, run)
    // by the seats when we asked: a run that ended since then did not make room for one that was left
    for (const [team, count] of countByTeam(runs.map(({ team_id }) => team_id))) {
      counts.set(team, (counts.get(team) ?? 0) + count)
    }
    pool.leftOut = new Set([...counts].filter(([, count]) => count >= perTeam).map(([team]) => team))
    const hasRoomSince = [...pool.leftOut].some((team) => !isAtShare(book, team))
    if (runs.length < asked && !hasRoomSince) return
  }
  pool.isMissed = true
}

async function takeSuspects(pool: Pool): Promise<void> {
  const { seatFor, workerId, context } = pool.options
  const { sql } = context.db
  const seats = new Map<string, SuspectSeat | undefined>()
  for (const suspect of await readSuspects(sql, context.config.workerPools)) {
    const seat = seatFor?.(suspect)
    if (seat || !seatFor) seats.set(suspect.id, seat)
    if (seats.size >= freeSeats(pool)) break
  }
  let claimed: ClaimedRun[] = []
  try {
    if (seats.size > 0) claimed = await claimSuspects(sql, workerId, [...seats.keys()])
  } finally {
    for (const run of claimed) take(pool, run, seats.get(run.id))
    for (const { id } of claimed) seats.delete(id)
    for (const seat of seats.values()) seat?.release()
  }
}

function take(pool: Pool, run: ClaimedRun, seat?: SuspectSeat): void {
  const { held, options } = pool
  const controller = new AbortController()
  // this is our own run again: it was taken from us and claimed before its old work noticed. That work has a call under way, and its outcome counts
  const before = held.get(run.id)
  held.set(run.id, { run, controller, ...(before && { before }) })
  const timeLeft = timeLeftMs(run)
  // a run whose time is over does nothing more, but it fails or asks for more, and reads for that what it has
  const leftMs = timeLeft > 0 ? timeLeft : toSaySoMs
  const time = new AbortController()
  const endTimer = longTimer(() => time.abort(new LimitReached(durationSentence(run.limits))), leftMs)
  // a process that cannot prove that it lives continues: without the database it begins no call (stillHolds), and a call under way has perhaps happened
  const { signal: writeSignal } = controller
  const signal = AbortSignal.any([writeSignal, time.signal])
  const mayContinue = () => !pool.isStopping && (options.isOurs?.(run) ?? true)
  void options
    .drive(run, { signal, writeSignal, mayContinue, workerId: options.workerId }, seat)
    .catch((error: unknown) => recover(pool, run, writeSignal, error))
    .finally(() => {
      endTimer()
      if (held.get(run.id)?.controller === controller) {
        held.delete(run.id)
        pool.releaseWaiters.get(run.id)?.()
      }
      if ((pool.isMissed || pool.leftOut.has(run.team_id)) && freeSeats(pool) > 0) pool.claiming.ask()
      announceIdle(pool)
    })
}

/** The run itself is safe in the database: what this process knew of it is forgotten, and whoever claims it continues from the log. */
async function recover(pool: Pool, run: ClaimedRun, signal: AbortSignal, error: unknown): Promise<void> {
  if (error instanceof Fenced || signal.reason instanceof Dropped) return
  const { db, log } = pool.options.context
  const isFailure = !(error instanceof Yielded) && !signal.aborted && !isPassing(error) && !(error instanceof StoreAway)
  if (isFailure)
    log.warn({ err: error, run_id: run.id }, 'a run could not be advanced; it is taken up again from its log')
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      return await giveBack(db.sql, pool.options.workerId, [run], isFailure)
    } catch (failed) {
      if (!isPassing(failed) || pool.isStopping) {
        return log.error({ err: failed, run_id: run.id }, 'a run could not be given back; the sweep will find it')
      }
      await sleep(waitMs)
    }
  }
}

/** The reserved seats are free again, but for the runs that were claimed for them. */
function fill(pool: Pool, reservation: Reservation, claimed: ClaimedRun[]): void {
  releaseSeats(pool.book, reservation)
  for (const run of claimed) take(pool, run)
  const hasShareAgain = reservation.byTeam.some(([team]) => pool.leftOut.has(team) && !isAtShare(pool.book, team))
  if ((pool.isMissed || hasShareAgain) && freeSeats(pool) > 0) pool.claiming.ask()
  if (claimed.length < reservation.count) announceIdle(pool)
}

/** Gives back claims whose answer was lost with its connection: nobody works on them. Seen at two polls, so that none is just on its way. */
async function giveBackStrays(pool: Pool): Promise<void> {
  const { context, workerId } = pool.options
  const claimed = await readClaimed(context.db.sql, workerId)
  const unknown = new Map(claimed.filter(({ id }) => !pool.held.has(id)).map(({ id, epoch }) => [id, epoch]))
  const lost = [...unknown].flatMap(([id, epoch]) => (pool.strays.get(id) === epoch ? { id, epoch } : []))
  pool.strays = unknown
  if (lost.length === 0) return
  context.log.warn({ runs: lost.length }, 'runs were claimed without an answer; they are given back')
  await giveBack(context.db.sql, workerId, lost)
}

async function poll(pool: Pool): Promise<void> {
  if (pool.strays.size > 0 || pool.polls++ % straysEvery === 0) await giveBackStrays(pool)
  const seen = [...pool.held.values()].map((one) => ({ one, epoch: one.run.epoch }))
  if (seen.length === 0) return
  const rows = await readEpochs(
    pool.options.context.db.sql,
    seen.map(({ one }) => one.run.id),
  )
  const now = new Map(rows.map((row) => [row.id, row]))
  for (const { one, epoch } of seen) {
    const row = now.get(one.run.id)
    const isOver = row === undefined || (row.has_ended && row.epoch !== epoch)
    // a run that another process took over is not cut off: its outcomes are passed on to the new holder, and its next write is fenced
    if (isOver && one.run.epoch === epoch) cutOff(one)
  }
}

function released({ held, releaseWaiters }: Pool, id: string): Promise<void> {
  if (!held.has(id)) return Promise.resolve()
  return new Promise((resolve) => {
    releaseWaiters.set(id, () => {
      releaseWaiters.delete(id)
      resolve()
    })
  })
}

async function stop(pool: Pool, drainMs: number): Promise<void> {
  pool.isStopping = true
  await pool.claiming.settled()
  const deadline = sleep(drainMs, undefined, { ref: false })
  await Promise.race([whenEmpty(pool), deadline])
  for (const { controller } of pool.held.values()) controller.abort(new OutOfTime('this process stops'))
  await whenEmpty(pool)
}
