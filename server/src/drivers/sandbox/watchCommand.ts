// The watch over one command: cuts it off when it takes too long, grows too large, or is no longer wanted.
import { freeBytes, isHalfGone, mayHoldBytes } from './diskUse.ts'
import type { Command, Executed, CommandLimits } from './sandbox.ts'
import { sampleTree } from './processTree.ts'

export type CutReason = 'timeout' | 'memory' | 'processes' | 'disk' | 'aborted'

interface Watch {
  /** Resolves when the command must end; never when it is stopped before. */
  cut: Promise<CutReason>
  stop(): void
}

interface Watched {
  pid: number
  folder: string
  command: Command
  limits: CommandLimits
  /** Told ten times a second which sessions the command has. */
  onSessions?: (sessions: Map<number, number>) => void
}

const sampleEveryMs = 100

export function watchCommand({ pid, folder, command, limits, onSessions }: Watched): Watch {
  const { promise: cut, resolve } = Promise.withResolvers<CutReason>()
  const abort = (): void => resolve('aborted')
  const timeout = setTimeout(resolve, command.timeoutMs, 'timeout' satisfies CutReason)
  command.signal.addEventListener('abort', abort, { once: true })
  if (command.signal.aborted) abort()
  let isStopped = false
  let freeAtStart: number | null = null

  async function look(): Promise<void> {
    const { memoryBytes, pids, sessions } = await sampleTree(pid, limits.processesMax)
    onSessions?.(sessions)
    if (memoryBytes > limits.memoryBytesMax) resolve('memory')
    if (pids.length > limits.processesMax) resolve('processes')
    const free = await freeBytes(folder)
    freeAtStart ??= free
    const lost = freeAtStart - free
    if (isHalfGone(freeAtStart, free)) resolve('disk')
    // What is left of the disk is looked at first: it costs nothing. Files are counted only when so much is gone, since others write too.
    if (lost > limits.diskBytesMax && (await mayHoldBytes({ folder, pids }, limits.diskBytesMax))) resolve('disk')
    if (!isStopped) timer = setTimeout(lookAgain, sampleEveryMs)
  }

  // If the measurement fails, the command ends as if it had been too large.
  const lookAgain = (): void => void look().catch(() => resolve('memory'))
  let timer: NodeJS.Timeout | undefined
  lookAgain()

  return {
    cut,
    stop() {
      isStopped = true
      clearTimeout(timer)
      clearTimeout(timeout)
      command.signal.removeEventListener('abort', abort)
    },
  }
}

type Ending = Pick<Executed, 'exit_code' | 'cut_off'> & { sentence: string }

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`

/** How a command that was cut off answers, with the sentence for whoever sent it. */
export function endingOf(cut: Exclude<CutReason, 'aborted'> | 'died', command: Command, limits: CommandLimits): Ending {
  const disk = mebibytes(limits.diskBytesMax)
  const sentences: Record<typeof cut, string> = {
    timeout: `Stopped after ${command.timeoutMs / 1000} s. Do less at once, or allow it more time.`,
    memory: `Stopped: it used more than ${mebibytes(limits.memoryBytesMax)} of memory. Work on smaller parts.`,
    processes: `Stopped: it had more than ${limits.processesMax} processes at once. Start fewer.`,
    disk: `Stopped: it wrote more than ${disk}, or half of what was free on the disk is gone. Write less.`,
    died: 'The shell died while it ran this. Try again, or do it another way.',
  }
  return {
    exit_code: cut === 'timeout' ? 124 : 137,
    cut_off: cut === 'timeout' || cut === 'memory' ? cut : 'died',
    sentence: sentences[cut],
  }
}

/** What the command said, and then the sentence on a line of its own. */
export function withSentence(stderr: string, sentence: string): string {
  return stderr === '' || stderr.endsWith('\n') ? `${stderr}${sentence}\n` : `${stderr}\n${sentence}\n`
}
