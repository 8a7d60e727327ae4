// Runs asynchronous work on many items, a few at a time: a thousand small files one after the other would mostly wait.

/** File calls that wait for each other; more than this only lengthens the line before Node's threads. */
const atOnce = 16

/** Resolves when all are done. After a failure nothing new is begun, what is under way ends first, and the first reason is thrown. */
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
