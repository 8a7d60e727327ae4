// Forgets mails and notices after 30 days, and what could not be mailed within a day because there was no mail server.
import { eraseOld } from '../../kit/eraseOld.ts'
import { job } from '../../kit/job.ts'

export const sweepNotifications = job({
  name: 'sweepNotifications',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '41 * * * *',
  async handler(call) {
    // no table refers to another here: each row is of use only until it is old
    await eraseOld(call, { table: 'happenings', by: 'created_at', days: 1 })
    await eraseOld(call, { table: 'notices', by: 'created_at', days: 30 })
    await eraseOld(call, { table: 'mails', by: 'created_at', days: 30 })
  },
})
