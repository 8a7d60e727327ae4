// Retention of screenshots: deletes those that are old enough; their bytes follow when nothing refers to them.
import { eraseOld } from '../../kit/eraseOld.ts'
import { job } from '../../kit/job.ts'

export const sweepScreenshots = job({
  name: 'sweepScreenshots',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '43 * * * *',
  async handler(call) {
    const { screenshots: days } = call.context.config.retentionDays
    if (days !== null) await eraseOld(call, { table: 'browser_screenshots', by: 'taken_at', days })
  },
})
