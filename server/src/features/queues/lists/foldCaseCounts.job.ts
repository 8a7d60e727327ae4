// Folds what was counted of cases since the last time.
import { job } from '../../../kit/job.ts'
import { foldCounts } from './caseCounts.ts'

/** Every minute, and at once when a reader finds that too many pieces have come together. */
export const foldCaseCounts = job({
  name: 'foldCaseCounts',
  safeToRepeat: 'pieces go in the statement that adds them up; the second time there are none',
  cron: '* * * * *',
  handler: ({ sql, signal }) => foldCounts(sql, signal),
})
