// Forgets bulk actions that ended long ago: nobody asks how far they have come any more.
import { job } from '../../../kit/job.ts'

export const retentionDays = 30
const batch = 1000

export const sweepBulkActions = job({
  name: 'sweepBulkActions',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '29 3 * * *',
  async handler({ sql, signal }) {
    for (let gone = batch; gone === batch && !signal.aborted;) {
      const rows = await sql`
        delete from bulk_actions where id in (
          select id from bulk_actions where completed_at < now() - make_interval(days => ${retentionDays})
          order by completed_at limit ${batch} for update skip locked)
        returning 1`
      gone = rows.length
    }
  },
})
