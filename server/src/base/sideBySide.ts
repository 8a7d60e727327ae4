// Runs asynchronous work on many items, a few at a time: working on a thousand small files one by one would mostly wait.

/** How many file calls run at a time; more would only lengthen the queue for Node's threads. */
const atOnce = 16

/** Resolves when all are done. After a failure it begins nothing new, lets what is under way end, and throws the first error. */
export async function sideBySide<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  let failed: { reason: unknown } | undefined
  async function take(): Promise<void> {
    for (let next = left.next(); !next.done && !failed; next = left.next()) {
      try {
        await work(next.value)
      } catch (reason) {
        failed ??= { reason }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, take))
  if (failed) throw failed.reason
}
