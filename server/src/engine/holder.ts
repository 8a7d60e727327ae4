// The runs of one process: takes what is ready while it has places, drives each, and drops at once what is no longer its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble } from '../base/db.ts'
import type { Context } from '../kit/context.ts'
import { readEpochs } from './apply.ts'
import type { Limits } from './buildConfig.ts'
import { claimRuns, claimSuspect, giveBack, readClaimed, type Held } from './claim.ts'
import type { Seat } from './createRun.ts'
import { Fenced, LimitReached, Yielded } from './driving.ts'
import { durationSentence, timeLeftMs } from './limits.ts'

export interface Holder {
  /** Something may be ready. */
  nudge(): void
  /** Reserves free places for runs that are about to be claimed; `settle` takes those that were. */
  reserve(wanted: number): Reserved
  /** Drops runs that were stopped. */
  drop(ids: string[]): void
  /** Looks for itself what calls may have missed: runs that are no longer ours. */
  look(): Promise<void>
  isIdle(): boolean
  /** Resolves when no run is held and none is ready. */
  idle(): Promise<void>
  /** Resolves when no run is held. */
  emptied(): Promise<void>
  /** No new runs; those held finish the step at hand and are given back, and are cut off when the time is over. */
  stop(drainMs: number): Promise<void>
}

export interface Reserved extends Seat {
  settle: (claimed: Held[]) => void
}

interface HolderOptions {
  context: Context
  workerId: string
  places: number
  /** Aborted when this process must no longer believe that its runs are its own. */
  lost: () => AbortSignal
  /** `mayGoOn`: false when the process stops. */
  drive: (run: Held, hold: { signal: AbortSignal; mayGoOn: () => boolean }) => Promise<void>
  /** Whether a run that two processes died over may be claimed now. */
  mayTakeSuspect: () => boolean
  /** Whether this run is still this process's to go on with. */
  isOurs?: (run: Held) => boolean
}

/** Why a held run is dropped without a word: somebody else has it, or it was stopped. */
class Dropped extends Error {}
class OutOfTime extends Error {}

/** Every so many looks the database is asked what it believes this process to hold. */
const straysEvery = 10

interface HeldRun {
  run: Held
  controller: AbortController
  /** The same run as this process held it before it was taken from it. */
  before?: HeldRun
}

export function createHolder(options: HolderOptions): Holder {
  const { context, workerId, places, lost, drive, mayTakeSuspect, isOurs = () => true } = options
  const { db, log } = context
  const held = new Map<string, HeldRun>()
  let reserved = 0
  let stopping = false
  let claiming: Promise<void> | undefined
  let again = false
  /** Somebody called while all places were taken or reserved. */
  let missed = false
  let idleWaiters: (() => void)[] = []
  /** Ours in the database and unknown here, at the last look: id and epoch. */
  let strays = new Map<string, number>()
  let looks = 0

  // what a process claims that cannot prove that it lives would be cut off at once, and claimed again, and so on
  const free = () => (stopping || lost().aborted ? 0 : Math.max(0, places - held.size - reserved))

  function nudge(): void {
    if (claiming) {
      again = true
      return
    }
    if (free() === 0) {
      missed = true
      return
    }
    missed = false
    claiming = claimAll().finally(() => {
      claiming = undefined
      if (again) {
        again = false
        nudge()
      } else tellIdle()
    })
  }

  async function claimAll(): Promise<void> {
    try {
      if (free() > 0 && mayTakeSuspect()) {
        const suspect = await claimSuspect(db.sql, workerId)
        if (suspect) take(suspect)
      }
      while (free() > 0) {
        const asked = free()
        const runs = await claimRuns(db.sql, workerId, asked)
        for (const run of runs) take(run)
        if (runs.length < asked) return
      }
      missed = true
    } catch (error) {
      log.warn({ err: error }, 'runs could not be claimed; it is tried again')
    }
  }

  function take(run: Held): void {
    const controller = new AbortController()
    // our own run again, taken from us and claimed anew before its old work noticed: a call of that is under way, and its outcome counts
    const before = held.get(run.id)
    held.set(run.id, { run, controller, ...(before && { before }) })
    const limits = run.limits as unknown as Limits
    const leftMs = Math.max(1, timeLeftMs({ run }, limits))
    const timer = setTimeout(
      () => controller.abort(new LimitReached(durationSentence(limits))),
      Math.min(leftMs, 2 ** 31 - 1),
    )
    // a process that cannot prove that it lives goes on: without the database it can begin nothing, and what is under way has happened
    const { signal } = controller
    void drive(run, { signal, mayGoOn: () => !stopping && isOurs(run) })
      .catch((error: unknown) => recover(run, signal, error))
      .finally(() => {
        clearTimeout(timer)
        if (held.get(run.id)?.controller === controller) held.delete(run.id)
        if (missed && free() > 0) nudge()
        tellIdle()
      })
  }

  /** The run itself is safe in the database: what this process knew of it is forgotten, and whoever claims it goes on from the log. */
  async function recover(run: Held, signal: AbortSignal, error: unknown): Promise<void> {
    if (error instanceof Fenced || signal.reason instanceof Dropped) return
    const isCutOff = signal.aborted && !(signal.reason instanceof LimitReached)
    const isFailure = !(error instanceof Yielded) && !isCutOff && !isConnectionTrouble(error)
    if (isFailure)
      log.warn({ err: error, run_id: run.id }, 'a run could not be advanced; it is taken up again from its log')
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        return await giveBack(db.sql, workerId, [run.id], isFailure)
      } catch (failed) {
        if (!isConnectionTrouble(failed) || stopping) {
          return log.error({ err: failed, run_id: run.id }, 'a run could not be given back; the sweep will find it')
        }
        await sleep(waitMs)
      }
    }
  }

  /** Claims whose answer was lost with its connection: nobody works on them. Seen at two looks, so that none is just on its way. */
  async function giveBackStrays(): Promise<void> {
    const claimed = await readClaimed(db.sql, workerId)
    const unknown = new Map(claimed.filter(({ id }) => !held.has(id)).map(({ id, epoch }) => [id, epoch]))
    const lostIds = [...unknown].filter(([id, epoch]) => strays.get(id) === epoch).map(([id]) => id)
    strays = unknown
    if (lostIds.length === 0) return
    log.warn({ runs: lostIds.length }, 'runs were claimed without an answer; they are given back')
    await giveBack(db.sql, workerId, lostIds)
  }

  function tellIdle(): void {
    if (held.size + reserved > 0 || claiming) return
    for (const waiter of idleWaiters) waiter()
    idleWaiters = []
  }

  const drop = (ids: string[]) => {
    for (const id of ids) cutOff(held.get(id))
  }

  function cutOff(one: HeldRun | undefined): void {
    for (let each = one; each; each = each.before) each.controller.abort(new Dropped())
  }

  return {
    nudge,
    drop,
    isIdle: () => held.size === 0 && !claiming,
    reserve(wanted) {
      const count = Math.min(wanted, free())
      reserved += count
      return {
        workerId,
        places: count,
        settle(claimed) {
          reserved -= count
          for (const run of claimed) take(run)
          if (missed && free() > 0) nudge()
          if (claimed.length < count) tellIdle()
        },
      }
    },
    async look() {
      if (strays.size > 0 || looks++ % straysEvery === 0) await giveBackStrays()
      const runs = [...held.values()]
      if (runs.length === 0) return
      const seen = runs.map(({ run }) => run.epoch)
      const rows = await readEpochs(
        db.sql,
        runs.map(({ run }) => run.id),
      )
      const now = new Map(rows.map((row) => [row.id, row]))
      for (const [index, one] of runs.entries()) {
        const row = now.get(one.run.id)
        const isOver = row === undefined || (row.has_ended && row.epoch !== seen[index])
        // one that another process took over is not cut off: what it has under way is told to whoever holds it, and its next write is fenced
        if (isOver && one.run.epoch === seen[index]) cutOff(one)
      }
    },
    idle() {
      return new Promise((resolve) => {
        idleWaiters.push(resolve)
        nudge()
        tellIdle()
      })
    },
    emptied: whenEmpty,
    async stop(drainMs) {
      stopping = true
      await claiming
      const deadline = sleep(drainMs, undefined, { ref: false })
      await Promise.race([whenEmpty(), deadline])
      for (const { controller } of held.values()) controller.abort(new OutOfTime('this process stops'))
      await whenEmpty()
    },
  }

  function whenEmpty(): Promise<void> {
    if (held.size + reserved === 0) return Promise.resolve()
    return new Promise((resolve) => {
      idleWaiters.push(resolve)
    })
  }
}
