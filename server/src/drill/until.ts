// Asks until something is so, for a bounded time.
import { setTimeout as sleep } from 'node:timers/promises'

/** What was seen last is told when it does not become so. */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  isSo: (seen: T) => boolean,
  { everyMs = 50, forMs = 60_000 } = {},
): Promise<T> {
  const deadline = performance.now() + forMs
  for (;;) {
    const seen = await look()
    if (isSo(seen)) return seen
    if (performance.now() > deadline) {
      throw new Error(`not within ${forMs / 1000} s: ${what}. Last seen: ${JSON.stringify(seen)}`)
    }
    await sleep(everyMs)
  }
}
