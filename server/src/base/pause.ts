// The pause before the next try of something that failed: it doubles up to a limit, and half of it is random so that retries spread out.

/** `failures`: how often it has failed in a row, 1 or more. */
export function pauseAfter(failures: number, limits: { firstMs: number; longestMs: number }): number {
  const wholeMs = Math.min(limits.longestMs, limits.firstMs * 2 ** Math.min(failures - 1, 20))
  return wholeMs / 2 + (Math.random() * wholeMs) / 2
}
