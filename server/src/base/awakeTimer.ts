// A limit that counts only the time in which this process ran: nobody is late because we stood still.
const steps = 10

/**
 * Calls `work` after so much time; what is returned ends it before. The wait is counted in short steps: one that is late, because this
 * process was busy or the machine had stopped it, counts once, however long that took. The last step leaves one turn of the event loop to
 * an answer that is already in the socket.
 */
export function awakeTimer(work: () => void, ms: number): () => void {
  let counted = 0
  let last: NodeJS.Immediate | undefined
  const timer = setInterval(() => {
    counted += 1
    if (counted < steps) return
    clearInterval(timer)
    last = setImmediate(work)
  }, ms / steps)
  return () => {
    clearInterval(timer)
    clearImmediate(last)
  }
}
