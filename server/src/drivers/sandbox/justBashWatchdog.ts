// A thread of the just-bash child that ends the process when the service is gone or the memory too much, whatever the code does.
import { workerData } from 'node:worker_threads'

const { parent, memoryBytesMax } = workerData as { parent: number; memoryBytesMax: number }

// The service looks as well and can say why; this is for systems where it cannot look, and for the time after its death,
// when a loop without end would otherwise run on for ever: it never gets to read that the channel is closed.
setInterval(() => {
  const isOrphan = process.ppid !== parent
  if (isOrphan || process.memoryUsage.rss() > 1.25 * memoryBytesMax) process.kill(process.pid, 'SIGKILL')
}, 100)
