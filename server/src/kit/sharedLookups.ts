// Look-ups that many callers share: one statement is under way at a time, and callers that arrive during it go into the next one.
import { zip } from '../base/zip.ts'

interface Waiting<Asked, Found> {
  asked: Asked
  resolve: (found: Found) => void
  reject: (error: unknown) => void
}

/** How many look-ups one statement has; a flood of more waits for the statement after it. */
const askedMax = 5000

/**
 * Use this for look-ups that strangers can cause. However many arrive, they hold one database connection, and a caller who is not a
 * stranger waits for one statement more than without them. `lookUp` answers in the order of its inputs.
 */
export function shareLookups<Asked, Found>(
  lookUp: (asked: Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  let line: Waiting<Asked, Found>[] = []
  let isBusy = false

  async function carry(batch: Waiting<Asked, Found>[]): Promise<void> {
    try {
      const found = await lookUp(batch.map(({ asked }) => asked))
      for (const [{ resolve }, one] of zip(batch, found)) resolve(one)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function work(): Promise<void> {
    isBusy = true
    while (line.length > 0) {
      const batch = line.slice(0, askedMax)
      line = line.slice(askedMax)
      await carry(batch)
    }
    isBusy = false
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      line.push({ asked, resolve, reject })
      if (!isBusy) void work()
    })
}
