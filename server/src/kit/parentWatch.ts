// Ends a process whose parent is gone and whose main thread hangs: a thread of its own sees both. A main thread that works ends by itself.
import { Worker, isMainThread, workerData } from 'node:worker_threads'

/** How long the main thread may be silent once the parent is gone. */
const silentMs = 5000
const lookMs = 500

interface Watched {
  parent: number
  /** When the main thread last said that it works, in seconds of the machine's clock. */
  alive: Int32Array
}

interface ParentWatch {
  /** The main thread says that it works. */
  alive(): void
  stop(): Promise<void>
}

const seconds = () => Math.floor(Number(process.hrtime.bigint() / 1_000_000_000n))

export function watchParent(): ParentWatch {
  const alive = new Int32Array(new SharedArrayBuffer(4))
  alive[0] = seconds()
  const data: Watched = { parent: process.ppid, alive }
  const thread = new Worker(new URL(import.meta.url), { workerData: data })
  thread.unref()
  return {
    alive: () => void Atomics.store(alive, 0, seconds()),
    stop: async () => void (await thread.terminate()),
  }
}

function watch({ parent, alive }: Watched): void {
  setInterval(() => {
    const isOrphan = process.ppid !== parent
    if (isOrphan && seconds() - Atomics.load(alive, 0) > silentMs / 1000) process.kill(process.pid, 'SIGKILL')
  }, lookMs)
}

if (!isMainThread && (workerData as Partial<Watched> | null)?.alive) watch(workerData as Watched)
