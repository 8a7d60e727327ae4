// The loops of this process: how late each began, how long it took, and whether it failed. Whoever looks for a slow process begins here.
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'

export interface LoopReport {
  name: string
  turns: number
  failures: number
  /** When the last turn began. */
  last_at: string | null
  /** How much later than planned that was: the event loop was busy. */
  late_ms: number
  /** How long the last whole turn took. */
  took_ms: number
  /** How long the turn that is under way has been; null between two turns. */
  under_way_ms: number | null
}

interface Watched {
  name: string
  turns: number
  failures: number
  lastAt: number | undefined
  lateMs: number
  tookMs: number
  begunAt: number | undefined
}

const watchedOf = runningPart('loops', () => new Map<string, Watched>())

export interface LoopWatch {
  /** A turn begins, this much after its time. */
  begun(lateMs: number): void
  ended(): void
  failed(): void
}

export function watchLoop(context: Context, name: string): LoopWatch {
  const loop: Watched = { name, turns: 0, failures: 0, lastAt: undefined, lateMs: 0, tookMs: 0, begunAt: undefined }
  watchedOf(context).set(name, loop)
  return {
    begun(lateMs) {
      loop.lateMs = Math.max(0, lateMs)
      loop.lastAt = Date.now()
      loop.begunAt = performance.now()
    },
    ended() {
      loop.turns += 1
      if (loop.begunAt !== undefined) loop.tookMs = performance.now() - loop.begunAt
      loop.begunAt = undefined
    },
    failed() {
      loop.failures += 1
    },
  }
}

export const reportLoops = (context: Context): LoopReport[] =>
  [...watchedOf(context).values()].map(({ name, turns, failures, lastAt, lateMs, tookMs, begunAt }) => ({
    name,
    turns,
    failures,
    last_at: lastAt === undefined ? null : new Date(lastAt).toISOString(),
    late_ms: Math.round(lateMs),
    took_ms: Math.round(tookMs),
    under_way_ms: begunAt === undefined ? null : Math.round(performance.now() - begunAt),
  }))
