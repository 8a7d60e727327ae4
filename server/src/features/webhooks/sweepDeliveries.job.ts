// Forgets dead letters and tests after 30 days, and targets to which nothing is sent any more.
import { part, type Database, type Part, type Sql } from '../../base/db.ts'
import { withShortLock } from '../../base/shortLock.ts'
import { job } from '../../kit/job.ts'
import { dropWaitingFor, hasWaiting } from './dropWaiting.job.ts'

const keptDays = 30
const batch = 1000

export const sweepDeliveries = job({
  name: 'sweepDeliveries',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '23 * * * *',
  async handler({ context, sql, signal }) {
    const isOld = part`d.settled_at < now() - make_interval(days => ${keptDays})`
    await erase(sql, part`deliveries d where d.state = 'dead' and ${isOld}`, signal)
    // deliveries of events go with their event; a test has none
    await erase(sql, part`deliveries d where d.data is not null and ${isOld}`, signal)
    // written, or being sent, while their webhook was deleted
    const deleted = await sql<{ id: string; team_id: string }>`
      select t.id, t.team_id from delivery_targets t where t.deleted_at is not null and ${hasWaiting}`
    for (const target of deleted) await dropWaitingFor(sql, target, signal)
    await sql`
      delete from delivery_targets t
      where t.deleted_at < now() - interval '1 day' and not exists (select from deliveries d where d.target_id = t.id)
        and not exists (select from delivery_batches b where b.target_id = t.id)`
    await forgetCallbacks(context.db, signal)
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

const isIdle = part`
  t.kind = 'callback' and t.created_at < now() - interval '1 day' and not exists (select from processes p where p.id = t.worker)
    and not exists (select from deliveries d where d.target_id = t.id)
    and not exists (select from delivery_batches b where b.target_id = t.id)`

/** Deletes URLs of callbacks: they would pile up if each run has its own. */
async function forgetCallbacks(db: Database, signal: AbortSignal): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after && !signal.aborted;) {
    const seen: { id: string; is_idle: boolean }[] = await db.sql`
      select t.id, ${isIdle} as is_idle from delivery_targets t where t.id > ${after} order by t.id limit ${batch}`
    const idle = seen.filter(({ is_idle }) => is_idle).map(({ id }) => id)
    if (idle.length > 0 && !(await forgetTargets(db, idle))) return
    after = seen.length < batch ? undefined : seen.at(-1)!.id
  }
}

/**
 * An event that is being written may have found one of them, and its delivery is not to be seen before the commit. Its transaction has
 * offered the target a row, so the lock of the table waits for it, and the search that follows sees what it wrote. False: others were busy
 * for too long, and the next sweep tries again.
 */
const forgetTargets = (db: Database, ids: string[]): Promise<boolean> =>
  withShortLock(db, async (sql) => {
    await sql`lock table delivery_targets in share row exclusive mode`
    await sql`delete from delivery_targets t where t.id = any(${ids}::uuid[]) and ${isIdle}`
  })
