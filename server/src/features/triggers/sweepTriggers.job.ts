// Forgets deliveries and keys after 30 days, and deliveries before that where messages of runs are not kept as long.
import { part, type Part, type Sql } from '../../base/db.ts'
import { job } from '../../kit/job.ts'

const keptDays = 30
const batch = 1000

const isOld = (column: Part, days: number): Part => part`${column} < now() - make_interval(days => ${days})`

export const sweepTriggers = job({
  name: 'sweepTriggers',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '37 * * * *',
  async handler({ context, sql, signal }) {
    const { runs, messages } = context.config.retentionDays
    // what came in is the message of its run
    const days = Math.min(keptDays, runs ?? keptDays, messages ?? keptDays)
    // one whose run still works is needed: loops are found by it
    const active = part`exists (select from runs r where r.id = d.run_id and r.completed_at is null)`
    await erase(
      sql,
      signal,
      part`select d.ctid from trigger_deliveries d where ${isOld(part`d.settled_at`, days)} and not ${active}`,
    )
    for (let gone = batch; gone === batch && !signal.aborted;) {
      const rows = await sql`
        delete from trigger_keys where ctid = any(array(
          select ctid from trigger_keys where ${isOld(part`seen_at`, keptDays)} order by seen_at limit ${batch} for update skip locked)) returning 1`
      gone = rows.length
    }
  },
})

async function erase(sql: Sql, signal: AbortSignal, which: Part): Promise<void> {
  for (let gone = batch; gone === batch && !signal.aborted;) {
    const rows = await sql`
      delete from trigger_deliveries where ctid = any(array(${which} limit ${batch} for update of d skip locked)) returning 1`
    gone = rows.length
  }
}
