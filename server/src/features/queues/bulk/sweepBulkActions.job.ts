// Forgets bulk actions that ended long ago: nobody asks how far they have come any more.
import { eraseOld } from '../../../kit/eraseOld.ts'
import { job } from '../../../kit/job.ts'

export const retentionDays = 30

export const sweepBulkActions = job({
  name: 'sweepBulkActions',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '29 3 * * *',
  handler: (call) => eraseOld(call, { table: 'bulk_actions', by: 'completed_at', days: retentionDays }),
})
