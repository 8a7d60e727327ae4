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
/** For a command of a team that used more than its share: at 10 a few of them still held the main thread up for 20 to 130 ms at a time. */
export const lowestNiceness = 19
const lookMs = 250

/**
 * Linux may divide the processor between sessions first, and only then between the processes of a session (autogroups). A command in the
 * service's own session would use up the service's share. So a command has a session of its own, and the session gets the low priority too.
 */
const autogroupOf = (pid: number): string => `/proc/${pid}/autogroup`
/** Linux takes one such change in a tenth of a second, unless an administrator makes it. */
const tryAgainMs = 120
const triesMax = 50

export interface CommandPriority {
  /**
   * Looks a few times a second whether the command is to give way to everybody else. Once it is, its session gets the lowest priority, until
   * the returned function is called.
   */
  watch(isToYield: () => boolean): () => void
}

/** The priority of a session, as it is and as it is to be. */
interface Session {
  child: ChildProcess
  log: Log
  niceness: number
  tries: number
}

/**
 * Call it right after the spawn of a session (`detached`), before the child has been given anything to do: what the child starts later
 * inherits the value. Lowering the priority of one's own process needs no special rights. A program that starts others at once needs
 * `nice` instead.
 */
export function lowerPriority(child: ChildProcess, log: Log): CommandPriority {
  const session: Session = { child, log, niceness: commandNiceness, tries: 0 }
  const set = (niceness: number): void => {
    session.niceness = niceness
    if (session.tries === 0) lowerSession(session)
  }
  if (child.pid !== undefined) {
    try {
      setPriority(child.pid, commandNiceness)
      set(commandNiceness)
    } catch (error) {
      // the child may also have ended already
      log.debug({ err: error, pid: child.pid }, 'the CPU priority of a sandbox process could not be lowered')
    }
  }
  return {
    watch(isToYield) {
      const look = (): void => {
        if (session.niceness < lowestNiceness && isToYield()) set(lowestNiceness)
      }
      look()
      const timer = setInterval(look, lookMs).unref()
      return () => {
        clearInterval(timer)
        if (session.niceness > commandNiceness) set(commandNiceness)
      }
    },
  }
}

function lowerSession(session: Session): void {
  const { pid, exitCode, signalCode } = session.child
  // its number may belong to another process by now
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  session.tries += 1
  try {
    // not created: where Linux has no autogroups, there is no such file
    writeFileSync(autogroupOf(pid), String(session.niceness), { flag: 'r+' })
    session.tries = 0
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN' && session.tries < triesMax) {
      setTimeout(lowerSession, tryAgainMs, session).unref()
      return
    }
    session.tries = 0
    if (code !== 'ENOENT')
      session.log.debug({ err: error, pid }, 'the CPU priority of a command’s session could not be lowered')
  }
}
