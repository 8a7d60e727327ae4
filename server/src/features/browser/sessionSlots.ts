// How many sessions the browser of a process has, and how teams share them.
import { createFairPool, teamShare } from '../../base/fairPool.ts'
import { runningPart } from '../../kit/runningPart.ts'

/** Slots for sessions in the browser of this process. Each session has pages, which take processes and memory. */
export const sessionSlotsOf = runningPart('browser sessions', ({ config }) => {
  const { browserSessionsMax: size, teamShare: percent } = config
  return createFairPool({ name: 'browser sessions', size, perTeam: teamShare(size, percent) })
})
