// Forgets due times that were missed a month ago.
import { job } from '../../kit/job.ts'

const keptDays = 30
const batch = 1000

export const sweepMisses = job({
  name: 'sweepMisses',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '23 3 * * *',
  async handler({ sql, signal }) {
    for (let gone = batch; gone === batch && !signal.aborted;) {
      const rows = await sql`
        delete from schedule_misses where id in (
          select id from schedule_misses where missed_at < now() - make_interval(days => ${keptDays})
          order by missed_at limit ${batch} for update skip locked) returning 1`
      gone = rows.length
    }
  },
})
