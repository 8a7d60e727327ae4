// The runs of one process: takes what is ready while it has places, drives each, and drops at once what is no longer its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble } from '../../base/db.ts'
import { teamShare } from '../../base/fairPool.ts'
import type { LoneSeat } from '../../kit/alone.ts'
import type { Context } from '../../kit/context.ts'
import { readEpochs } from '../ledger/apply.ts'
import {
  claimRuns,
  claimSuspects,
  giveBack,
  readClaimed,
  readSuspects,
  type ClaimedRun,
  type Suspect,
} from '../admission/claim.ts'
import { durationSentence, timeLeftMs } from './limits.ts'
import { Fenced, LimitReached, Yielded } from './leaving.ts'
import { countByTeam, type Reserved } from '../admission/seat.ts'

export interface Holder {
  /** Something may be ready. */
  nudge(): void
  /** Reserves free places for runs that are about to be claimed, by team; `settle` takes the places of those that were claimed. */
  reserve(wanted: ReadonlyMap<string, number>): Reserved
  /** Drops runs that were stopped. */
  drop(ids: string[]): void
  /** Looks for itself what calls may have missed: runs that are no longer ours. */
  look(): Promise<void>
  isIdle(): boolean
  /** Resolves when no run is held and none is ready. */
  idle(): Promise<void>
  /** Resolves when this run is not held, at once if it never was. */
  letGoOf(id: string): Promise<void>
  /** No new runs; those held finish the step at hand and are given back, and are cut off when the time is over. */
  stop(drainMs: number): Promise<void>
}

interface HolderOptions {
  context: Context
  workerId: string
  places: number
  /** Aborted when this process must no longer believe that its runs are its own. */
  lost: () => AbortSignal
  /** `mayGoOn` is false when the process stops. `seat` is the one of a suspect in a process for suspects. */
  drive: (
    run: ClaimedRun,
    hold: { signal: AbortSignal; writeSignal: AbortSignal; mayGoOn: () => boolean },
    seat?: LoneSeat,
  ) => Promise<void>
  /** The seat of a suspect, without which it is not claimed. Without this function suspects are driven like any other run. */
  seatFor?: ((suspect: Suspect) => LoneSeat | undefined) | undefined
  /** Whether this process may still continue this run. */
  isOurs?: (run: ClaimedRun) => boolean
}

/** Why a held run is dropped without a word: somebody else has it, or it was stopped. */
class Dropped extends Error {}
class OutOfTime extends Error {}

/** Every so many looks the database is asked what it believes this process to hold. */
const straysEvery = 10

interface PoolRun {
  run: ClaimedRun
  /** Ends the calls and the writes of the run; the end of the run's time ends only its calls. */
  controller: AbortController
  /** The same run, as this process held it before it lost it. */
  before?: PoolRun
}

export function createHolder(options: HolderOptions): Holder {
  const { context, workerId, places, lost, drive, seatFor, isOurs = () => true } = options
  const { db, log } = context
  const held = new Map<string, PoolRun>()
  /** One team never holds the whole process, so the next run of another team finds a place at once. */
  const perTeam = teamShare(places, context.config.teamShare)
  let reserved = 0
  const reservedOf = new Map<string, number>()
  /** Teams that were at their share when ready runs were last claimed: some of their runs may have been left. */
  let leftOut = new Set<string>()
  let stopping = false
  let claiming: Promise<void> | undefined
  let again = false
  /** Somebody called while all places were taken or reserved. */
  let missed = false
  let idleWaiters: (() => void)[] = []
  const letGoWaiters = new Map<string, () => void>()
  /** Ours in the database and unknown here, at the last look: id and epoch. */
  let strays = new Map<string, number>()
  let looks = 0

  // what a process claims that cannot prove that it lives would be cut off at once, and claimed again, and so on
  const free = () => (stopping || lost().aborted ? 0 : Math.max(0, places - held.size - reserved))

  /** How many places each team holds here, with those reserved for it. */
  function holdings(): Map<string, number> {
    const counts = countByTeam([...held.values()].map(({ run }) => run.team_id))
    for (const [team, count] of reservedOf) counts.set(team, (counts.get(team) ?? 0) + count)
    return counts
  }

  const isFull = (team: string): boolean => (holdings().get(team) ?? 0) >= perTeam

  /** The teams that want more than their share leaves, with the room that is left. Nothing is counted while everything fits into one share. */
  function roomsFor(wanted: ReadonlyMap<string, number>): Map<string, number> {
    let total = held.size + reserved
    for (const count of wanted.values()) total += count
    if (total <= perTeam) return new Map()
    const holds = holdings()
    const rooms = [...wanted].map(([team, count]) => [team, Math.min(count, perTeam - (holds.get(team) ?? 0))] as const)
    return new Map(
      rooms.filter(([team, room]) => room < wanted.get(team)!).map(([team, room]) => [team, Math.max(0, room)]),
    )
  }

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
      if (free() > 0) await takeSuspects()
      while (free() > 0) {
        const asked = free()
        const runs = await claimRuns(db.sql, workerId, asked, { perTeam, held: holdings() })
        for (const run of runs) take(run)
        leftOut = new Set([...holdings()].filter(([, count]) => count >= perTeam).map(([team]) => team))
        if (runs.length < asked) return
      }
      missed = true
    } catch (error) {
      log.warn({ err: error }, 'runs could not be claimed; it is tried again')
    }
  }

  async function takeSuspects(): Promise<void> {
    const seats = new Map<string, LoneSeat | undefined>()
    for (const suspect of await readSuspects(db.sql)) {
      const seat = seatFor?.(suspect)
      if (seat || !seatFor) seats.set(suspect.id, seat)
      if (seats.size >= free()) break
    }
    let claimed: ClaimedRun[] = []
    try {
      if (seats.size > 0) claimed = await claimSuspects(db.sql, workerId, [...seats.keys()])
    } finally {
      for (const run of claimed) take(run, seats.get(run.id))
      for (const { id } of claimed) seats.delete(id)
      for (const seat of seats.values()) seat?.release()
    }
  }

  function take(run: ClaimedRun, seat?: LoneSeat): void {
    const controller = new AbortController()
    // this is our own run again: it was taken from us and claimed before its old work noticed. That work has a call under way, and its outcome counts
    const before = held.get(run.id)
    held.set(run.id, { run, controller, ...(before && { before }) })
    const { limits } = run
    const leftMs = Math.max(1, timeLeftMs(run))
    const time = new AbortController()
    const timer = setTimeout(
      () => time.abort(new LimitReached(durationSentence(limits))),
      Math.min(leftMs, 2 ** 31 - 1),
    )
    // a process that cannot prove that it lives goes on: without the database it cannot begin a call, and a call under way has perhaps happened
    const { signal: writeSignal } = controller
    const signal = AbortSignal.any([writeSignal, time.signal])
    void drive(run, { signal, writeSignal, mayGoOn: () => !stopping && isOurs(run) }, seat)
      .catch((error: unknown) => recover(run, writeSignal, error))
      .finally(() => {
        clearTimeout(timer)
        if (held.get(run.id)?.controller === controller) {
          held.delete(run.id)
          letGoWaiters.get(run.id)?.()
        }
        if ((missed || leftOut.has(run.team_id)) && free() > 0) nudge()
        tellIdle()
      })
  }

  /** The run itself is safe in the database: what this process knew of it is forgotten, and whoever claims it goes on from the log. */
  async function recover(run: ClaimedRun, signal: AbortSignal, error: unknown): Promise<void> {
    if (error instanceof Fenced || signal.reason instanceof Dropped) return
    const isFailure = !(error instanceof Yielded) && !signal.aborted && !isConnectionTrouble(error)
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

  function cutOff(one: PoolRun | undefined): void {
    for (let each = one; each; each = each.before) each.controller.abort(new Dropped())
  }

  return {
    nudge,
    drop,
    isIdle: () => held.size === 0 && !claiming,
    reserve(wanted) {
      const rooms = roomsFor(wanted)
      let count = 0
      for (const [team, asked] of wanted) count += rooms.get(team) ?? asked
      count = Math.min(count, free())
      const own = [...wanted].map(([team, asked]) => [team, Math.min(rooms.get(team) ?? asked, count)] as const)
      reserved += count
      for (const [team, most] of own) reservedOf.set(team, (reservedOf.get(team) ?? 0) + most)
      return {
        workerId,
        places: count,
        rooms,
        settle(claimed) {
          reserved -= count
          for (const [team, most] of own) {
            const left = reservedOf.get(team)! - most
            if (left > 0) reservedOf.set(team, left)
            else reservedOf.delete(team)
          }
          for (const run of claimed) take(run)
          const hasRoomAgain = own.some(([team]) => leftOut.has(team) && !isFull(team))
          if ((missed || hasRoomAgain) && free() > 0) nudge()
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
        // a run that another process took over is not cut off: its outcomes are passed on to the new holder, and its next write is fenced
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
    letGoOf(id) {
      if (!held.has(id)) return Promise.resolve()
      return new Promise((resolve) => {
        letGoWaiters.set(id, () => {
          letGoWaiters.delete(id)
          resolve()
        })
      })
    },
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
