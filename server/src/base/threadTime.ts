// The processor time of this thread: unlike a clock it does not count what other programs on a busy machine take.

/** In milliseconds since the thread began. A call takes about a microsecond. */
export function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
