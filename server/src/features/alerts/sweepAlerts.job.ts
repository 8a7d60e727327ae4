// Forgets incidents that closed half a year ago, with what was told of them.
import { eraseOld } from '../../kit/eraseOld.ts'
import { job } from '../../kit/job.ts'

export const sweepAlerts = job({
  name: 'sweepAlerts',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '17 3 * * *',
  handler: (call) => eraseOld(call, { table: 'alert_incidents', by: 'closed_at', days: 180 }),
})
