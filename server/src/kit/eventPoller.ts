// When open streams look for new events: at once after a commit of this process, less often the more there are, and four times a second.
import type { Log } from '../base/log.ts'

export interface EventPoller {
  /** Somebody wrote events, or came to read. */
  soon(): void
  /** For a reader that can take more again: it may be behind. */
  now(): void
}

interface EventPollerOptions {
  log: Log
  hasReaders: () => boolean
  /** True: there are more events for a reader that could take them. */
  look: () => Promise<boolean>
  /** How soon to look again although nobody wrote events; undefined: in `pollMs`. */
  againMs?: () => number | undefined
}

/** How often new events are looked for. */
export const pollMs = 250
/**
 * A commit of this process is followed by a look at once. A look is followed by a pause that grows with the square of what the look took:
 * one of 5 ms rests as long as it took. In a busy process one of 15 ms rests three times as long, and more is read at a time. In one that is
 * not busy a look took long because of something else, and the pause is short.
 */
const squareMs = 5
const restMaxMs = 5
const busyRestMaxMs = 75
/** A process is busy if its main thread works for more than this part of the time, measured over the window. */
const busyPart = 0.5
const busyWindowMs = 100

export function createEventPoller({ log, hasReaders, look, againMs }: EventPollerOptions): EventPoller {
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  /** Somebody asked since the last look began. */
  let isSoon = false
  /** The next look begins no earlier, unless there is more to read. */
  let restsUntil = 0
  let measuredAt = performance.eventLoopUtilization()
  let isBusy = false

  function measure(): void {
    const { active, idle, utilization } = performance.eventLoopUtilization(measuredAt)
    if (active + idle < busyWindowMs) return
    isBusy = utilization > busyPart
    measuredAt = performance.eventLoopUtilization()
  }

  async function lookNow(): Promise<void> {
    isSoon = false
    const from = performance.now()
    const isMore = await look().catch((error: unknown) => {
      log.debug({ err: error }, 'new events could not be read for the open streams; will retry')
      return false
    })
    isLooking = false
    const now = performance.now()
    measure()
    restsUntil = now + Math.min((now - from) ** 2 / squareMs, isBusy ? busyRestMaxMs : restMaxMs)
    if (hasReaders()) lookIn(isMore ? 0 : isSoon ? restsUntil - now : (againMs?.() ?? pollMs))
    else isSoon = false
  }

  function lookIn(ms: number): void {
    clearTimeout(timer)
    timer = undefined
    if (ms > 0) {
      timer = setTimeout(() => lookIn(0), ms)
      return
    }
    isLooking = true
    // not after a timer, which takes a millisecond at least, nor after what follows from the commit that asked for it
    queueMicrotask(() => void lookNow())
  }

  return {
    soon() {
      if (isSoon || !hasReaders()) return
      isSoon = true
      if (!isLooking) lookIn(restsUntil - performance.now())
    },
    now() {
      if (isLooking) isSoon = true
      else if (hasReaders()) lookIn(0)
    },
  }
}
