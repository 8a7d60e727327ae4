// Draws pages in the browser of this process, for pictures and PDFs. Teams take turns for it.
import { teamShare } from '../../base/fairPool.ts'
import { createSharedPool } from '../../kit/sharedPools.ts'
import type { Printer } from '../../drivers/browser/browser.ts'
import { browserOf } from '../../kit/browserOf.ts'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'

/** How many pages a process draws at a time: each keeps a core busy for about half a second. */
const pagesMax = 2
/** How many pages of one team may wait, and how long. */
const waitingMax = 20
const waitMaxMs = 30_000

const slotsOf = runningPart('printing', (context) =>
  createSharedPool(context, {
    name: 'pages to draw',
    size: pagesMax,
    perTeam: teamShare(pagesMax, context.config.teamShare),
    waitingMax,
    waitMaxMs,
  }),
)

export const printFor = <T>(
  context: Context,
  teamId: string,
  print: (printer: Printer) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => slotsOf(context).use(teamId, () => print(browserOf(context).printer), signal)
