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

  function beatOn(): void {
    const plannedAt = performance.now() + beatMs
    timer = setTimeout(() => {
      beatOn()
      const lateMs = performance.now() - plannedAt
      for (const turn of turns) turn(lateMs)
    }, beatMs)
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
      if (turns.size === 0) beatOn()
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
