// Forgets mails and notices after 30 days, and what could not be mailed within a day because there was no mail server.
import { part, word, type Part } from '../../base/db.ts'
import { job } from '../../kit/job.ts'

const keptDays = 30
const batch = 1000

/** No table refers to another here: each row is of use only until it is old. */
const old: [table: string, Part][] = [
  ['happenings', part`created_at < now() - interval '1 day'`],
  ['notices', part`created_at < now() - make_interval(days => ${keptDays})`],
  ['mails', part`created_at < now() - make_interval(days => ${keptDays})`],
]

export const sweepNotifications = job({
  name: 'sweepNotifications',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '41 * * * *',
  async handler({ sql, signal }) {
    for (const [table, isOld] of old) {
      for (let gone = batch; gone === batch && !signal.aborted;) {
        const rows = await sql`
          delete from ${word(table)} where id in (
            select id from ${word(table)} where ${isOld} order by created_at limit ${batch} for update skip locked) returning 1`
        gone = rows.length
      }
    }
  },
})
