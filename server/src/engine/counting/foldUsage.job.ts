// Folds the usage since the last time into the days, and the stored bytes into one row per team.
import { foldPieces } from '../../base/foldCounts.ts'
import { job } from '../../kit/job.ts'
import { foldUsage as fold, storedPieces } from './usage.ts'

/** Runs every minute, and at once when a reader finds that too many entries have come together. */
export const foldUsage = job({
  name: 'foldUsage',
  safeToRepeat: 'an entry goes in the statement that adds it to its day; the second time there is none',
  cron: '* * * * *',
  async handler({ context, signal }) {
    await fold(context.db, signal)
    await foldPieces(context.db.sql, storedPieces, signal)
  },
})
