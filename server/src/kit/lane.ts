// A lane: what arrives while a write is under way goes into the next one, so many callers share one commit, and nobody waits when it is idle.
import { zip } from '../base/zip.ts'
import { isConnectionTrouble, retryingDeadlocks, sqlState } from '../base/db.ts'
import { inTurns } from '../base/fairPool.ts'

/** Thrown by a flush that undid itself because of some of its operations: each is tried alone. `cause`: what one of them threw. */
export class TryAlone extends Error {}

export interface Lane<Op, Result> {
  /** Resolves after the commit that carried the operation. */
  add(op: Op): Promise<Result>
  /** True when an operation that fits waits here. */
  hasWaiting(fits: (op: Op) => boolean): boolean
  /** Tries again to flush the operations that `mayGo` held back. */
  recheck(): void
}

export interface LaneOptions<Op, Result> {
  /** One transaction for all of them; a result for each, in their order. */
  flush: (ops: Op[]) => Promise<Result[]>
  /** Two operations with the same key never share a flush: the second waits for the first. */
  keyOf: (op: Op) => string
  /** Teams take turns: a flush has one operation of each waiting team, then the next of each. */
  teamOf: (op: Op) => string
  /** False holds an operation back for now, although the flush has room for it; `beside` are the operations that are already in the flush. */
  mayGo?: (op: Op, beside: Op[], waitedMs: number) => boolean
  /** A flush has operations of one team, and a team has one flush at a time. */
  isByTeam?: boolean
  /** Whether each operation would fail like this by itself, so that none is tried alone. */
  isOfAll?: (error: unknown) => boolean
  opsMax?: number
  flushesMax?: number
  /** How long at least between the end of a flush and the next one: more operations then share it. */
  pauseMs?: number
  onFlush?: LaneWatch['onFlush']
  onMade?: LaneWatch['onMade']
}

/** Whoever wants to know how a lane does. */
export interface LaneWatch {
  /** Called after every commit with how many operations it carried, and how long it took. */
  onFlush: (operations: number, seconds: number) => void
  /** Called once with a function that says how many operations wait now. */
  onMade: (waiting: () => number) => void
}

interface Waiting<Op, Result> {
  op: Op
  key: string
  since: number
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** How soon the lane itself tries the operations again that `mayGo` held back. */
const heldBackMs = 10

export function createLane<Op, Result>({
  flush,
  keyOf,
  teamOf,
  mayGo,
  isByTeam = false,
  isOfAll,
  opsMax = 64,
  flushesMax = 4,
  pauseMs = 0,
  onFlush,
  onMade,
}: LaneOptions<Op, Result>): Lane<Op, Result> {
  let line: Waiting<Op, Result>[] = []
  const busyKeys = new Set<string>()
  const busyTeams = new Set<string>()
  let flushes = 0
  let recheckTimer: NodeJS.Timeout | undefined
  let flushedAt = -Infinity
  onMade?.(() => line.length)

  function next(): void {
    const pauseLeft = flushedAt + pauseMs - performance.now()
    if (pauseMs > 0 && pauseLeft > 0) {
      if (line.length > 0) recheckTimer ??= setTimeout(recheck, pauseLeft)
      return
    }
    while (flushes < flushesMax && line.length > 0) {
      const batch = takeBatch()
      if (batch.length === 0) return
      flushes += 1
      for (const { op } of batch) busyTeams.add(teamOf(op))
      void carry(batch).finally(() => {
        flushes -= 1
        flushedAt = performance.now()
        for (const { key, op } of batch) {
          busyKeys.delete(key)
          busyTeams.delete(teamOf(op))
        }
        next()
      })
    }
  }

  function isOfTurn(op: Op, [first]: Op[]): boolean {
    if (!isByTeam) return true
    return first === undefined ? !busyTeams.has(teamOf(op)) : teamOf(first) === teamOf(op)
  }

  function takeBatch(): Waiting<Op, Result>[] {
    const batch: Waiting<Op, Result>[] = []
    const ops: Op[] = []
    const left: Waiting<Op, Result>[] = []
    const now = performance.now()
    for (const waiting of inTurns(line, ({ op }) => teamOf(op))) {
      if (batch.length === opsMax || busyKeys.has(waiting.key) || !isOfTurn(waiting.op, ops)) left.push(waiting)
      else if (mayGo && !mayGo(waiting.op, ops, now - waiting.since)) {
        left.push(waiting)
        recheckTimer ??= setTimeout(recheck, heldBackMs)
      } else {
        busyKeys.add(waiting.key)
        batch.push(waiting)
        ops.push(waiting.op)
      }
    }
    line = left
    return batch
  }

  function recheck(): void {
    clearTimeout(recheckTimer)
    recheckTimer = undefined
    next()
  }

  async function carry(batch: Waiting<Op, Result>[]): Promise<void> {
    const begunAt = performance.now()
    try {
      const results = await retryingDeadlocks(() => flush(batch.map(({ op }) => op)))
      onFlush?.(batch.length, (performance.now() - begunAt) / 1000)
      for (const [{ resolve }, result] of zip(batch, results)) resolve(result)
    } catch (error) {
      // one bad row must fail alone; but only what PostgreSQL itself refused is surely undone and may be tried again
      const isUndone = sqlState(error) !== undefined && !isConnectionTrouble(error)
      if (batch.length > 1 && !isOfAll?.(error) && (isUndone || error instanceof TryAlone)) {
        for (const waiting of batch) await carry([waiting])
      } else for (const { reject } of batch) reject(error instanceof TryAlone ? (error.cause ?? error) : error)
    }
  }

  return {
    add: (op) =>
      new Promise((resolve, reject) => {
        line.push({ op, key: keyOf(op), since: performance.now(), resolve, reject })
        next()
      }),
    hasWaiting: (fits) => line.some(({ op }) => fits(op)),
    recheck,
  }
}
