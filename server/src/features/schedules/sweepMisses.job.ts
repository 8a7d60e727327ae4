// Forgets due times that were missed a month ago.
import { eraseOld } from '../../kit/eraseOld.ts'
import { job } from '../../kit/job.ts'

export const sweepMisses = job({
  name: 'sweepMisses',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '23 3 * * *',
  handler: (call) => eraseOld(call, { table: 'schedule_misses', by: 'missed_at', days: 30 }),
})
