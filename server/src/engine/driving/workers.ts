// What drives runs in this process: the pool of a worker, and the pool of a process for suspects.
import { untilWritten } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { suspectsPerProcess, type SuspectProcesses, type SuspectSeat } from '../../kit/suspectProcesses.ts'
import type { Context } from '../../kit/context.ts'
import { isSuspect, mustBeAlone } from '../../kit/deaths.ts'
import type { Unit } from '../../kit/suspectChild.ts'
import { noteSuspectDeath, takeSuspect, type ClaimedRun } from '../admission/claim.ts'
import { ownChannel } from '../../kit/listener.ts'
import { readyChannel, stopChannel } from '../ledger/notifyChannels.ts'
import { driveRun } from './drive.ts'
import type { DriveParts, Hold } from './heldRun.ts'
import { Yielded } from './leaving.ts'
import { createRunPool, type RunPool } from './runPool.ts'
import { withTelemetry } from './runTelemetry.ts'
import { textDeltasOf } from './textDeltas.ts'

export interface WorkingProcess {
  id: string
  /** How many runs it works on at once. */
  seats: number
  lost: () => AbortSignal
  /** Drives runs that two processes died over. Without it they are driven like any other. */
  suspectProcesses?: SuspectProcesses
}

export interface RunWorker {
  /** Part of the process's half-second sweep. */
  poll(): Promise<void>
  /** Something may be ready. */
  notify(): void
  stop(drainMs: number): Promise<void>
}

export interface SuspectRunWorker {
  /** Resolves when the run has advanced, waits or has ended; false when it could not be taken. It waits for `took` before it begins. */
  drive(unit: Unit, took: () => Promise<void>): Promise<boolean>
  poll(): Promise<void>
  stop(drainMs: number): Promise<void>
}

interface WorkersOptions {
  context: Context
  parts: Omit<DriveParts, 'telemetry'>
  /** Does one sweep of what is due; true when there are runs to take. */
  sweep: () => Promise<boolean>
  /** Runs have a slot and no worker. */
  onReady: () => void
  /** This process was called alone, and cannot take everything that is ready. */
  onFull: (ownChannel: string) => void
}

export interface Workers extends WorkersOptions {
  /** The pool of this process while it works on runs. */
  pool: RunPool | undefined
}

export const newWorkers = (options: WorkersOptions): Workers => ({ ...options, pool: undefined })

const drive = ({ parts }: Workers, run: ClaimedRun, hold: Hold): Promise<void> =>
  withTelemetry(parts, run, (telemetry) => driveRun({ ...parts, telemetry }, run, hold))

function newRunPool(workers: Workers, { id, seats, lost, suspectProcesses }: WorkingProcess): RunPool {
  return createRunPool({
    context: workers.context,
    workerId: id,
    seats,
    lost,
    ...(suspectProcesses && {
      seatFor: (suspect) =>
        suspectProcesses.reserve({ kind: 'run', teamId: suspect.team_id, mustBeAlone: mustBeAlone(suspect) }),
    }),
    async drive(run, hold, seat) {
      if (seat && isSuspect(run)) return driveElsewhere(workers, seat, run)
      seat?.release()
      return drive(workers, run, hold)
    },
  })
}

/** This process holds the run until the other process has taken it, and reports how that process ended. */
async function driveElsewhere({ context, onReady }: Workers, seat: SuspectSeat, run: ClaimedRun): Promise<void> {
  const { id, epoch } = run
  const ending = await seat.drive({ kind: 'run', id, epoch })
  if (ending.how === 'untouched') throw new Yielded()
  if (ending.how === 'died') await untilWritten(() => noteSuspectDeath(context.db.sql, { id, epoch }, ending.isSure))
  setImmediate(onReady)
}

/** Listens for stops and relays text for a pool; answers with how to stop that. */
function listenFor({ context }: Workers, pool: RunPool): () => void {
  const stopListening = context.listener.on(stopChannel, (ids) => pool.drop(ids.split(',')))
  const stopRelay = textDeltasOf(context).relay()
  return () => {
    stopListening()
    stopRelay()
  }
}

/** Takes up runs on this process until it stops. */
export function startWorker(workers: Workers, process: WorkingProcess): RunWorker {
  const { context } = workers
  const pool = (workers.pool = newRunPool(workers, process))
  context.metrics.runs.places.set(process.seats)
  const own = ownChannel(process.id)
  const stopReady = context.listener.on(readyChannel, (from) => {
    if (from !== own) pool.notify()
  })
  const stopCalls = context.listener.on(own, () => {
    void pool.called().then((isAll) => isAll || workers.onFull(own))
  })
  const stopListening = listenFor(workers, pool)
  process.suspectProcesses?.onReady(() => pool.notify())
  pool.notify()
  return {
    notify: () => pool.notify(),
    async poll() {
      if (await workers.sweep()) pool.notify()
      await pool.poll()
    },
    async stop(drainMs) {
      workers.pool = undefined
      stopReady()
      stopListening()
      await pool.stop(drainMs)
      // until now it was called like any other, and passed the calls on
      stopCalls()
    },
  }
}

/** Drives the suspects that this process is given, and claims nothing by itself (kit/suspectProcesses.ts). */
export function startSuspectRunWorker(workers: Workers, process: Omit<WorkingProcess, 'seats'>): SuspectRunWorker {
  const { context } = workers
  const pool = createRunPool({
    context,
    workerId: process.id,
    seats: suspectsPerProcess,
    lost: process.lost,
    seatFor: () => undefined,
    isOurs: isSuspect,
    drive: (run, hold) => drive(workers, run, hold),
  })
  const stopListening = listenFor(workers, pool)
  return {
    poll: () => pool.poll(),
    async drive({ id, epoch }, took) {
      // the run's team is only known once it is taken; who gives us runs has counted the seats of teams
      const seats = pool.reserve(new Map([['', 1]]))
      let run: ClaimedRun | undefined
      try {
        run = await takeSuspect(context.db.sql, id, epoch, process.id)
        if (run) await took()
      } finally {
        seats.fill(run ? [run] : [])
      }
      await pool.released(id)
      return run !== undefined
    },
    async stop(drainMs) {
      stopListening()
      await pool.stop(drainMs)
    },
  }
}

/** Drives everything that is ready; `findMore` finds what is due after that, until there is nothing. */
export async function drainRuns(workers: Workers, findMore: () => Promise<boolean>): Promise<void> {
  const pool = newRunPool(workers, { id: newId(), seats: 100, lost: () => new AbortController().signal })
  do await pool.idle()
  while (await findMore())
  await pool.stop(0)
}
