// The clock of a working process: its loops turn at the same moments, twice a second, so that one look at the database serves them all.
import type { LoopWatch } from './loops.ts'

export interface Beat {
  /** The work begins with each beat, unless its last turn is still under way. */
  loop(watch: LoopWatch, work: (signal: AbortSignal) => Promise<void>): Loop
}

export interface Loop {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>
}

const beatMs = 500

export function startBeat(): Beat {
  const turns = new Set<(lateMs: number) => void>()
  let timer: NodeJS.Timeout | undefined

  function beatIn(ms: number): void {
    const plannedAt = performance.now() + ms
    timer = setTimeout(() => {
      beatIn(beatMs)
      const lateMs = performance.now() - plannedAt
      for (const turn of turns) turn(lateMs)
    }, ms)
  }

  return {
    loop(watch, work) {
      const stopping = new AbortController()
      let working: Promise<void> | undefined
      const turn = (lateMs: number): void => {
        if (working) return
        watch.begun(lateMs)
        working = work(stopping.signal).finally(() => {
          watch.ended()
          working = undefined
        })
      }
      // the first beat is at once: where processes do not live long, each of them still sets work of the dead free
      if (turns.size === 0) beatIn(0)
      turns.add(turn)
      return {
        async stop() {
          stopping.abort()
          turns.delete(turn)
          if (turns.size === 0) clearTimeout(timer)
          await working
        },
      }
    },
  }
}
