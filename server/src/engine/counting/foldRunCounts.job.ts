// Folds what was counted since the last time, and forgets totals of searches that nobody asks for any more.
import { job } from '../../kit/job.ts'
import { forgetOldEndedTotals } from './endedTotals.ts'
import { foldRunCounts as fold } from './runCounts.ts'
import { forgetOldTotals } from './searchTotals.ts'

/** Runs every minute, and at once when a reader finds that too many deltas have come together (listRuns.ts). */
export const foldRunCounts = job({
  name: 'foldRunCounts',
  safeToRepeat: 'a delta goes in the statement that counts it; the second time there is none',
  cron: '* * * * *',
  async handler({ context, sql, signal }) {
    await fold(context.db, signal)
    await forgetOldTotals(sql)
    await forgetOldEndedTotals(sql)
  },
})
