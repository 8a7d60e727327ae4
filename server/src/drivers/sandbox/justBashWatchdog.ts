// A thread of the just-bash child that ends the process when the service is gone or the memory too much, whatever the code does.
import { workerData } from 'node:worker_threads'

const { parent, memoryBytesMax } = workerData as { parent: number; memoryBytesMax: number }

// The service watches too and can say why. This thread is for systems where the service cannot watch, and for the time after its death: an
// endless loop would never notice that the channel is closed.
setInterval(() => {
  const isOrphan = process.ppid !== parent
  if (isOrphan || process.memoryUsage.rss() > 1.25 * memoryBytesMax) process.kill(process.pid, 'SIGKILL')
}, 100)
