// Retention of screenshots: deletes those that are old enough; their bytes follow when nothing refers to them.
import { job } from '../../kit/job.ts'

const batch = 1000

export const sweepScreenshots = job({
  name: 'sweepScreenshots',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '43 * * * *',
  async handler({ context, sql, signal }) {
    const { screenshots: days } = context.config.retentionDays
    if (days === null) return
    let gone = batch
    while (gone === batch && !signal.aborted) {
      const rows = await sql`
        delete from browser_screenshots where id in (
          select id from browser_screenshots where taken_at < now() - make_interval(days => ${days})
          order by taken_at limit ${batch} for update skip locked)
        returning 1`
      gone = rows.length
    }
  },
})
