// Requests to models with large files: how many a process makes at a time, and how teams share them.
import { teamShare } from '../../base/fairPool.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { createSharedPool } from '../../kit/sharedPools.ts'

/** From here on a request counts as large: pictures of the browser stay below. One of 12 MB took 80 MB of memory while it was made. */
export const largeBytes = 4_000_000
const size = 16

export const largeRequestsOf = runningPart('requests with large files', (context) =>
  createSharedPool(context, {
    name: 'requests with large files',
    size,
    perTeam: teamShare(size, context.config.teamShare),
  }),
)
