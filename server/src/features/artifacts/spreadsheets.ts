// Writes the tables of pages as spreadsheets. Each takes a thread of its own, so teams take turns for a few of them.
import { teamShare } from '../../base/fairPool.ts'
import { createSharedPool } from '../../kit/sharedPools.ts'
import type { PageTable } from '../../base/page/pageTable.ts'
import { xlsxOf } from '../../base/page/xlsx.ts'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'

/** How many spreadsheets a process writes at a time: each keeps a core busy and may take some hundred megabytes. */
const threadsMax = 2
/** How many spreadsheets of one team may wait, and how long. */
const waitingMax = 20
const waitMaxMs = 30_000

export const spreadsheetSlotsOf = runningPart('spreadsheets', (context) =>
  createSharedPool(context, {
    name: 'spreadsheets to write',
    size: threadsMax,
    perTeam: teamShare(threadsMax, context.config.teamShare),
    waitingMax,
    waitMaxMs,
  }),
)

export const spreadsheetFor = (context: Context, teamId: string, tables: PageTable[]): Promise<Buffer> =>
  spreadsheetSlotsOf(context).use(teamId, () => xlsxOf(tables))
