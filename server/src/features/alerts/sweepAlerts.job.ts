// Forgets incidents that closed half a year ago, with what was told of them.
import { job } from '../../kit/job.ts'

const keptDays = 180
const batch = 1000

export const sweepAlerts = job({
  name: 'sweepAlerts',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '17 3 * * *',
  async handler({ sql, signal }) {
    for (let gone = batch; gone === batch && !signal.aborted;) {
      const rows = await sql`
        delete from alert_incidents where id in (
          select id from alert_incidents where closed_at < now() - make_interval(days => ${keptDays})
          order by closed_at limit ${batch} for update skip locked) returning 1`
      gone = rows.length
    }
  },
})
