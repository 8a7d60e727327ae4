// The sandbox that needs nothing of the machine: just-bash, an interpreter in a child process with Node's permissions on.
import type { Outbound } from '../../base/outbound/fetch.ts'
import type { Log } from '../../base/log.ts'
import { allowedHosts } from './allowedHosts.ts'
import { removeHalfWritten } from './halfWritten.ts'
import { createHostFetch, type HostFetch } from './hostFetch.ts'
import { startJustBash, type JustBashProcess } from './justBashProcess.ts'
import { onceToYield } from './lowerPriority.ts'
import { openShells } from './openShells.ts'
import {
  usualLimits,
  type Command,
  type Executed,
  type CommandLimits,
  type SandboxDriver,
  type Shell,
  type ShellFolders,
} from './sandbox.ts'
import { endingOf, watchCommand, withSentence, type CutReason } from './watchCommand.ts'

interface JustBashOptions {
  outbound: Outbound
  hosts: string[]
  shellsMax: number
  log: Log
  limits?: Partial<CommandLimits>
}

const strength =
  'just-bash: commands are interpreted, not started, in a child process that may touch the workspace alone; a hole in the ' +
  'interpreter and in Node’s permissions at once, or one that opens sockets, is not held back by the system.'

export function justBashDriver(options: JustBashOptions): SandboxDriver {
  const { outbound, hosts, shellsMax, log } = options
  const limits = { ...usualLimits, ...options.limits }
  const hostFetch = hosts.length === 0 ? null : createHostFetch(outbound, allowedHosts(hosts))
  const startShell = (folders: ShellFolders): Shell => justBashShell({ ...folders, limits, hostFetch, log })
  return { name: 'just_bash', strength, owner: undefined, ...openShells(shellsMax, startShell) }
}

interface ShellOptions extends ShellFolders {
  limits: CommandLimits
  hostFetch: HostFetch | null
  log: Log
}

const never = (): boolean => false

function justBashShell(options: ShellOptions): Shell {
  const { folder, limits, log } = options
  // started before it is asked for: the first command finds it warm
  let child: JustBashProcess | null = startJustBash(options)

  async function warm(): Promise<JustBashProcess> {
    if (child === null || child.isOver()) child = startJustBash(options)
    await child.ready
    return child
  }

  async function exec(command: Command): Promise<Executed> {
    const own = await warm()
    const startedAt = performance.now()
    const watch = watchCommand({ pid: own.pid, folder, command, limits })
    const stopAsking = onceToYield(command.isToYield ?? never, () => own.priority.yieldToAll())
    const outcome = await Promise.race([own.run(command), own.over, watch.cut])
    watch.stop()
    stopAsking()
    own.priority.restore()
    const duration_ms = Math.round(performance.now() - startedAt)
    if (typeof outcome === 'object' && 'executed' in outcome) {
      return { ...outcome.executed, duration_ms, cut_off: null }
    }
    await own.kill()
    child = null
    await removeHalfWritten(folder)
    if (outcome === 'aborted') throw command.signal.reason
    const cut = typeof outcome === 'string' ? outcome : whyItDied(outcome)
    if (cut === 'died') log.warn({ said: own.lastWords() }, 'a just-bash child died')
    const { exit_code, cut_off, sentence } = endingOf(cut, command, limits)
    return { exit_code, stdout: '', stderr: withSentence('', sentence), truncated: false, duration_ms, cut_off }
  }

  return {
    exec,
    async close() {
      await child?.kill()
      child = null
    },
  }
}

/** A child that we did not kill used too much memory: the watchdog inside it, or the system, killed it. */
function whyItDied({ signal }: { signal: NodeJS.Signals | null }): Exclude<CutReason, 'aborted'> | 'died' {
  return signal === 'SIGKILL' ? 'memory' : 'died'
}
