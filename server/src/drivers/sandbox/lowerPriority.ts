// Commands yield the CPU to the service: an endless loop in a sandbox must not slow everybody's requests.
import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Log } from '../../base/log.ts'

/**
 * The service runs at 0. At 10 a command gets about a tenth of a core that the service wants too, and all of an idle one. At 19 commands
 * hardly advance on a machine that other programs keep busy.
 */
export const commandNiceness = 10

/**
 * Linux may divide the processor between sessions first, and only then between the processes of a session (autogroups). A command in the
 * service's own session would use up the service's share. So a command has a session of its own, and the session gets the low priority too.
 */
const autogroupOf = (pid: number): string => `/proc/${pid}/autogroup`
/** Linux takes one such change in a tenth of a second, unless an administrator makes it. */
const tryAgainMs = 120
const triesMax = 50

/**
 * Call it right after the spawn of a session (`detached`), before the child has been given anything to do: what the child starts later
 * inherits the value. Lowering the priority of one's own process needs no special rights. A program that starts others at once needs
 * `nice` instead.
 */
export function lowerPriority(child: ChildProcess, log: Log): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    setPriority(pid, commandNiceness)
    lowerSession(child, pid, log)
  } catch (error) {
    // the child may also have ended already
    log.debug({ err: error, pid }, 'the CPU priority of a sandbox process could not be lowered')
  }
}

function lowerSession(child: ChildProcess, pid: number, log: Log, tries = 1): void {
  // its number may belong to another process by now
  if (child.exitCode !== null || child.signalCode !== null) return
  try {
    // not created: where Linux has no autogroups, there is no such file
    writeFileSync(autogroupOf(pid), String(commandNiceness), { flag: 'r+' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN' && tries < triesMax) setTimeout(lowerSession, tryAgainMs, child, pid, log, tries + 1).unref()
    else if (code !== 'ENOENT')
      log.debug({ err: error, pid }, 'the CPU priority of a command’s session could not be lowered')
  }
}
