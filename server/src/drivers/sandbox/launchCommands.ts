// The program that starts commands in bubblewrap for the service, and watches them. It ends with the service, and every command ends with it.
import { runInBubblewrap } from './bubblewrapProcess.ts'
import type { FromLauncher, ToLauncher } from './commandLauncher.ts'
import { sessionPriorities, type SessionPriorities } from './lowerPriority.ts'

interface Running {
  stopping: AbortController
  priorities: SessionPriorities
}

const running = new Map<number, Running>()

const tell = (message: FromLauncher): void => void (process.connected && process.send!(message))

async function run({ run: id, bubblewrap, wanted, command }: Extract<ToLauncher, { run: number }>): Promise<void> {
  const stopping = new AbortController()
  const priorities = sessionPriorities((error) => tell({ trouble: String(error) }))
  running.set(id, { stopping, priorities })
  try {
    const own = { ...wanted, command: { ...command, signal: stopping.signal } }
    tell({ ended: id, executed: await runInBubblewrap(bubblewrap, own, priorities) })
  } catch (error) {
    tell({ ended: id, failed: error instanceof Error ? error.message : String(error) })
  } finally {
    running.delete(id)
  }
}

process.on('message', (message: ToLauncher) => {
  if ('run' in message) void run(message)
  // one that has just ended has nothing to stop
  else if ('abort' in message) running.get(message.abort)?.stopping.abort(new Error('it is no longer wanted'))
  else running.get(message.yieldToAll)?.priorities.yieldToAll()
})
// the kernel ends what is under way together with this process
process.once('disconnect', () => process.exit(0))
