// A limit that counts only the time in which this process ran: nobody is late because we stood still.

/**
 * How many steps a wait has: what waits for the same time shares them, so a wait ends late by at most one. More of them would make a limit too
 * long in a process that is busy but runs: with 60, one of 1.25 s took four when the turns of the event loop took 60 ms.
 */
const stepsMax = 30
const stepMinMs = 1

/** All waits of one length. They end in the order in which they began. */
interface Line {
  steps: number
  /** How many steps have passed. */
  passed: number
  /** The next to end first. */
  waits: Set<Wait>
  timer: NodeJS.Timeout
}

interface Wait {
  work: () => void
  /** The wait is over when this many steps of its line have passed. */
  endsAfter: number
  last: NodeJS.Immediate | undefined
}

const lines = new Map<number, Line>()

/**
 * Calls `work` after so much time; what is returned ends it before. The wait is counted in short steps: one that is late, because this
 * process was busy or the machine had stopped it, counts once, however long that took. The last step leaves one turn of the event loop to
 * an answer that is already in the socket. Waits of one length share a timer: a call that is answered at once would otherwise spend more on
 * its limits than on much else.
 */
export function awakeTimer(work: () => void, ms: number): () => void {
  const line = lines.get(ms) ?? openLine(ms)
  // the step that is under way does not count: it began before this wait
  const wait: Wait = { work, endsAfter: line.passed + line.steps + 1, last: undefined }
  if (line.waits.size === 0 && line.passed > 0) line.timer.ref()
  line.waits.add(wait)
  return () => {
    clearImmediate(wait.last)
    if (!line.waits.delete(wait) || line.waits.size > 0) return
    // a line that has lasted for a step belongs to a load: its next wait comes before its next step, which would close it
    if (line.passed > 0) line.timer.unref()
    else closeLine(ms, line)
  }
}

function openLine(ms: number): Line {
  const steps = Math.max(1, Math.min(stepsMax, Math.floor(ms / stepMinMs)))
  const line: Line = { steps, passed: 0, waits: new Set(), timer: setInterval(() => step(ms, line), ms / steps) }
  lines.set(ms, line)
  return line
}

function step(ms: number, line: Line): void {
  line.passed += 1
  for (const wait of line.waits) {
    if (wait.endsAfter > line.passed) return
    line.waits.delete(wait)
    wait.last = setImmediate(wait.work)
  }
  closeLine(ms, line)
}

function closeLine(ms: number, line: Line): void {
  clearInterval(line.timer)
  lines.delete(ms)
}
