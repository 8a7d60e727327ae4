// Retention of files: takes away the workspaces of runs that ended longer ago than files are kept.
import { job } from '../../kit/job.ts'

/** A workspace may hold thousands of files, which go with it. */
const batch = 100

export const sweepFiles = job({
  name: 'sweepFiles',
  safeToRepeat: 'a workspace that is gone is not found a second time',
  cron: '37 * * * *',
  async handler({ context, sql, signal }) {
    const { files: days } = context.config.retentionDays
    if (days === null) return
    for (let gone = batch; gone === batch && !signal.aborted;) {
      const rows = await sql`
        delete from sandboxes where id in (
          select s.id from sandboxes s join runs r on r.id = s.run_id and r.team_id = s.team_id
          where r.completed_at < now() - make_interval(days => ${days}) limit ${batch} for update of s skip locked)
        returning 1`
      gone = rows.length
    }
  },
})
