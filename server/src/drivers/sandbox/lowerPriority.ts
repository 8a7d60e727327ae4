// Commands yield the CPU to the service: an endless loop in a sandbox must not slow everybody's requests.
import { setPriority } from 'node:os'
import type { Log } from '../../base/log.ts'

/**
 * The service runs at 0. At 10 a command gets about a tenth of a core that the service wants too, and all of an idle one. At 19 commands
 * hardly advance on a machine that other programs keep busy.
 */
export const commandNiceness = 10

/**
 * Call it right after the spawn, before the child has been given anything to do: what the child starts later inherits the value. Lowering
 * the priority of one's own process needs no special rights. A program that starts others at once needs `nice` instead.
 */
export function lowerPriority(pid: number | undefined, log: Log): void {
  if (pid === undefined) return
  try {
    setPriority(pid, commandNiceness)
  } catch (error) {
    // the child may also have ended already
    log.debug({ err: error, pid }, 'the CPU priority of a sandbox process could not be lowered')
  }
}
