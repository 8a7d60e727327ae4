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

/** Looks a few times a second whether a command is to give way to everybody else, and says so once. Returns what ends the looks. */
export function onceToYield(isToYield: () => boolean, yieldNow: () => void): () => void {
  const timer = setInterval(look, lookMs).unref()
  function look(): void {
    if (!isToYield()) return
    clearInterval(timer)
    yieldNow()
  }
  look()
  return () => clearInterval(timer)
}

/**
 * Linux may divide the processor between sessions first, and only then between the processes of a session (autogroups). A command in the
 * service's own session would use up the service's share. So a command has a session of its own, and the session gets the low priority too.
 * Linux takes one such change in a tenth of a second, unless an administrator makes it: `busy`. `missing`: the process has ended, or this Linux
 * does not share between sessions. `settled`: it was taken, or will never be.
 */
function setSession(pid: number, niceness: number, onTrouble: OnTrouble): 'settled' | 'busy' | 'missing' {
  try {
    // not created: where Linux has no autogroups, there is no such file
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness), { flag: 'r+' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return 'busy'
    if (code === 'ENOENT' || code === 'ESRCH') return 'missing'
    onTrouble(error)
  }
  return 'settled'
}

type OnTrouble = (error: unknown) => void

export interface SessionPriorities {
  /** The sessions that there are now, each with one of its processes. Those that are new get the priority. */
  see(sessions: Map<number, number>): void
  /** All of them give way to everybody else, as do those that are seen later. */
  yieldToAll(): void
}

/**
 * The sessions of one command. A program may open further ones, each of which Linux would give as much as the service has, so they are lowered
 * as they are seen. A change that the system does not take yet is made when they are seen the next time.
 */
export function sessionPriorities(onTrouble: OnTrouble): SessionPriorities {
  const nicenessOf = new Map<number, number>()
  let wanted = commandNiceness
  let known = new Map<number, number>()
  const setAll = (): void => {
    for (const [session, pid] of known) {
      if (nicenessOf.get(session) === wanted) continue
      if (setSession(pid, wanted, onTrouble) === 'settled') nicenessOf.set(session, wanted)
    }
  }
  return {
    see(sessions) {
      known = sessions
      for (const session of nicenessOf.keys()) if (!known.has(session)) nicenessOf.delete(session)
      setAll()
    },
    yieldToAll() {
      wanted = lowestNiceness
      setAll()
    },
  }
}

const tryAgainMs = 120
const triesMax = 50

export interface CommandPriority {
  /** Gives way to everybody else, until `restore`. */
  yieldToAll(): void
  restore(): void
}

/** The priority of a session, as it is to be. */
interface Session {
  child: ChildProcess
  log: Log
  niceness: number
  tries: number
}

/**
 * For a child that stays, and starts no others. Call it right after the spawn of a session (`detached`). Lowering the priority of one's own
 * process needs no special rights. A program that starts others at once needs `nice` instead.
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
    yieldToAll: () => set(lowestNiceness),
    restore() {
      if (session.niceness > commandNiceness) set(commandNiceness)
    },
  }
}

function lowerSession(session: Session): void {
  const { pid, exitCode, signalCode } = session.child
  // its number may belong to another process by now
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  session.tries += 1
  const note: OnTrouble = (error) =>
    session.log.debug({ err: error, pid }, 'the CPU priority of a command’s session could not be lowered')
  const isBusy = setSession(pid, session.niceness, note) === 'busy'
  if (isBusy && session.tries < triesMax) setTimeout(lowerSession, tryAgainMs, session).unref()
  else session.tries = 0
}
