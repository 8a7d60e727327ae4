// Forgets dead letters and tests after 30 days, and what was written for webhooks that are deleted.
import { part, type Part, type Sql } from '../../base/db.ts'
import { job } from '../../kit/job.ts'
import { dropWaitingFor, hasWaiting } from './dropWaiting.job.ts'

const keptDays = 30
const batch = 1000

export const sweepDeliveries = job({
  name: 'sweepDeliveries',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '23 * * * *',
  async handler({ sql, signal }) {
    const isOld = part`d.settled_at < now() - make_interval(days => ${keptDays})`
    await erase(sql, part`deliveries d where d.state = 'dead' and ${isOld}`, signal)
    // deliveries of events go with their event; a test has none
    await erase(sql, part`deliveries d where d.data is not null and ${isOld}`, signal)
    // written, or being sent, while their webhook was deleted
    const deleted = await sql<{ id: string; team_id: string }>`
      select t.id, t.team_id from delivery_targets t where t.deleted_at is not null and ${hasWaiting}`
    for (const target of deleted) await dropWaitingFor(sql, target, signal)
  },
})

async function erase(sql: Sql, which: Part, signal: AbortSignal): Promise<void> {
  for (let gone = batch; gone === batch && !signal.aborted;) {
    const rows = await sql`
      delete from deliveries where id in (select d.id from ${which} limit ${batch} for update of d skip locked)
      returning 1`
    gone = rows.length
  }
}
