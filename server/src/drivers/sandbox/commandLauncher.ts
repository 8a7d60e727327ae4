// Commands in bubblewrap, started by a small process beside the service: to start a process, Linux copies the page tables of the one that asks.
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { besideFile } from '../../base/besideFile.ts'
import type { Log } from '../../base/log.ts'
import { pipeOf } from '../../base/pipeOf.ts'
import type { Bubblewrap, Wanted } from './bubblewrapProcess.ts'
import { lastWords } from './lastWords.ts'
import { onceToYield } from './lowerPriority.ts'
import { endLeftIn } from './processTree.ts'
import type { Executed } from './sandbox.ts'
import { endingOf } from './watchCommand.ts'

const launcherFile = fileURLToPath(besideFile('launchCommands', import.meta.url))

/** Beyond the time of a command: what it takes on a busy machine to start, end and read it. A process that answers later hangs. */
const graceMs = 60_000

/** A command without what only the service has: its signal, and whether it is to yield, are told by messages. */
type LaunchedCommand = Omit<Wanted['command'], 'signal' | 'isToYield'>

/** To the launching process. */
export type ToLauncher =
  | { run: number; bubblewrap: Bubblewrap; wanted: Omit<Wanted, 'command'>; command: LaunchedCommand }
  | { abort: number }
  | { yieldToAll: number }

/** From it: how a command ended, why it could not be run, or what the system did not let it do. */
export type FromLauncher =
  | { ended: number; executed: Executed }
  | { ended: number; failed: string }
  | { trouble: string }

export interface CommandLauncher {
  run(bubblewrap: Bubblewrap, wanted: Wanted): Promise<Executed>
  /** Once no command is under way. */
  close(): Promise<void>
}

type Ending = Extract<FromLauncher, { ended: number }> | 'died'

/** The launching process, and what is under way in it. */
interface Launcher {
  process: ChildProcess
  running: Map<number, (ending: Ending) => void>
  exited: Promise<void>
}

export function commandLauncher(log: Log): CommandLauncher {
  let launcher: Launcher | undefined
  let count = 0

  /** It is started again with the next command after it has died. */
  function current(): Launcher {
    if (launcher) return launcher
    const started = startLauncher(log)
    launcher = started
    const forget = (): void => void (launcher === started && (launcher = undefined))
    void started.exited.then(forget)
    return started
  }

  return {
    async run(bubblewrap, { folder, laid, proxied, command }) {
      const { signal, isToYield = never, ...launched } = command
      signal.throwIfAborted()
      const { process: child, running } = current()
      const id = (count += 1)
      const startedAt = performance.now()
      const { promise, resolve } = Promise.withResolvers<Ending>()
      running.set(id, resolve)
      const send = (message: ToLauncher): void => void (child.connected && child.send(message))
      const abort = (): void => send({ abort: id })
      send({ run: id, bubblewrap, wanted: { folder, laid, proxied }, command: launched })
      signal.addEventListener('abort', abort, { once: true })
      const stopAsking = onceToYield(isToYield, () => send({ yieldToAll: id }))
      const hangs = setTimeout(() => child.kill('SIGKILL'), command.timeoutMs + graceMs)
      const ending = await promise
      clearTimeout(hangs)
      stopAsking()
      signal.removeEventListener('abort', abort)
      running.delete(id)
      if (ending !== 'died' && 'executed' in ending) return ending.executed
      // what had begun dies with the process that began it; this waits until it is gone
      if (ending === 'died') await endLeftIn(folder)
      signal.throwIfAborted()
      if (ending !== 'died') throw new Error(ending.failed)
      const { sentence, ...died } = endingOf('died', command, bubblewrap.limits)
      const duration_ms = Math.round(performance.now() - startedAt)
      return { ...died, stdout: '', stderr: `${sentence}\n`, truncated: false, duration_ms }
    },
    async close() {
      const ending = launcher
      ending?.process.disconnect()
      await ending?.exited
    },
  }
}

const never = (): boolean => false

function startLauncher(log: Log): Launcher {
  const running: Launcher['running'] = new Map()
  const child = fork(launcherFile, {
    // a session of its own: Ctrl-C is for the service, which lets commands end
    detached: true,
    env: {},
    execArgv: ['--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const said = lastWords(pipeOf(child, 2))
  const { promise: exited, resolve } = Promise.withResolvers<void>()
  function end(how: string): void {
    if (running.size > 0) log.warn({ how, said: said() }, 'the process that starts commands died, and they with it')
    for (const tell of running.values()) tell('died')
    resolve()
  }
  child.once('exit', (code, signal) => end(String(signal ?? code)))
  child.on('error', (error) => {
    if (child.pid === undefined) end(error.message)
    else log.debug({ err: error }, 'a message to the process that starts commands was lost')
  })
  child.on('message', (message: FromLauncher) => {
    if ('ended' in message) running.get(message.ended)?.(message)
    else log.debug({ trouble: message.trouble }, 'the CPU priority of a command’s session could not be lowered')
  })
  return { process: child, running, exited }
}
