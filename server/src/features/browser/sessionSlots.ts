// How many sessions the browser of a process has, and how teams share them.
import { teamShare } from '../../base/fairPool.ts'
import { createSharedPool } from '../../kit/sharedPools.ts'
import { runningPart } from '../../kit/runningPart.ts'

/** Slots for sessions in the browser of this process. Each session has pages, which take processes and memory. */
export const sessionSlotsOf = runningPart('browser sessions', (context) => {
  const { browserSessionsMax: size, teamShare: percent } = context.config
  return createSharedPool(context, { name: 'browser sessions', size, perTeam: teamShare(size, percent) })
})
