// Folds what was counted of evaluations since the last time.
import { foldPieces } from '../../base/foldCounts.ts'
import { job } from '../../kit/job.ts'
import { evalCounts } from './evalCounts.ts'

export const foldEvalCounts = job({
  name: 'foldEvalCounts',
  safeToRepeat: 'pieces go in the statement that adds them up; the second time there are none',
  cron: '*/5 * * * *',
  handler: ({ sql, signal }) => foldPieces(sql, evalCounts, signal),
})
