// A timer for any length of time. One of Node's lasts for 2^31 ms at most, which is less than 25 days.

const longestMs = 2 ** 31 - 1

/** Calls `work` after so much time; what is returned ends it before. */
export function longTimer(work: () => void, ms: number): () => void {
  let timer: NodeJS.Timeout
  function wait(leftMs: number): void {
    if (leftMs > longestMs) timer = setTimeout(() => wait(leftMs - longestMs), longestMs)
    else timer = setTimeout(work, leftMs)
  }
  wait(ms)
  return () => clearTimeout(timer)
}
