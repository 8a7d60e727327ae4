// Ends a process of tests that does not end by itself, and says what kept it open. Node ends a test that hangs, but not its process.

/** Longer than any of them takes on a busy machine. */
const processMs = 900_000

export function endInTime(files) {
  const end = () => {
    console.error(`${files.join(', ')} did not end. Still open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }
  setTimeout(end, processMs).unref()
}
