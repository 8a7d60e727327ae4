// Gives memory back to the machine when the process rests: V8 keeps what it took under load, although hardly any of it is in use.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A process that takes no more of a core than this rests: an idle one takes less than 1 %. */
const restingPercent = 3
const restingMs = 20_000
/** What must have been taken since the last time. Less is not worth the pause. */
const grownBytes = 64 * 2 ** 20
/** The pause grows with what is in use: 0.1 to 0.25 s for the 45 MB of a service without traffic. A larger heap is left to V8. */
const usedBytesMax = 256 * 2 ** 20

interface RestingMemory {
  /** Told every few seconds how much of a core the process took since the last time; true when it gave memory back. */
  note(percent: number): boolean
}

interface Parts {
  now: () => number
  memory: () => { rss: number; heapUsed: number }
  giveBack: () => void
}

export function watchRestingMemory({ now, memory, giveBack }: Parts = ofThisProcess): RestingMemory {
  let restingSince: number | undefined
  let keptBytes = 0
  return {
    note(percent) {
      if (percent > restingPercent) restingSince = undefined
      else restingSince ??= now()
      if (restingSince === undefined || now() - restingSince < restingMs) return false
      const { rss, heapUsed } = memory()
      if (rss - keptBytes < grownBytes || heapUsed > usedBytesMax) return false
      giveBack()
      keptBytes = memory().rss
      return true
    },
  }
}

const ofThisProcess: Parts = {
  now: () => performance.now(),
  memory: () => process.memoryUsage(),
  giveBack: giveMemoryBack,
}

type Collect = (options: { type: 'major'; flavor: 'last-resort'; execution: 'sync' }) => void

/** Only this kind of collection also shrinks the space for new objects, and returns the pages that V8 keeps for later. */
export function giveMemoryBack(): void {
  // the function is only in contexts that are made while the flag is on
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', flavor: 'last-resort', execution: 'sync' })
}
