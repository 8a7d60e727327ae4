// Retention of files: deletes workspaces whose time is over, the rest of uploads and commands, and bytes that nothing refers to.
import { moveWaiting } from '../../../drivers/blobs/moveBlobs.ts'
import { sweepBlobs, sweepObjects } from '../../../drivers/blobs/sweepBlobs.ts'
import type { Sql } from '../../../base/db.ts'
import { storesOf } from '../../../kit/blobs.ts'
import { job } from '../../../kit/job.ts'

/** A workspace may hold thousands of files, which go with it. */
const batch = 100

export const sweepFiles = job({
  name: 'sweepFiles',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '37 * * * *',
  async handler({ context, sql, signal }) {
    const { files: days } = context.config.retentionDays
    const whileFull = async (sweep: () => Promise<number>) => {
      while (!signal.aborted && (await sweep()) === batch);
    }
    await whileFull(() => sweepExpired(sql))
    if (days !== null) await whileFull(() => sweepOfRuns(sql, days))
    await sql`delete from file_uploads where expires_at < now() - interval '1 day' and (claimed_until is null or claimed_until < now())`
    await sql`delete from sandbox_execs where ended_at < now() - interval '1 day'`
    await whileFull(() => sweepBlobs(sql, batch))
    const stores = storesOf(context)
    const { current } = stores
    const note = (refused: Error) => context.log.warn({ err: refused }, 'an object could not be deleted; will retry')
    await whileFull(() => sweepObjects(sql, stores, batch, note))
    const noteDamaged = (damaged: Error) => context.log.error({ err: damaged }, 'a content cannot be moved; will retry')
    if (current) await moveWaiting(sql, { ...stores, current }, { note: noteDamaged, signal })
  },
})

/** Made by callers, and never given to a run. */
async function sweepExpired(sql: Sql): Promise<number> {
  const gone = await sql`
    delete from sandboxes where id in (
      select id from sandboxes where expires_at < now() and run_id is null
        and not exists (select from sandbox_execs e where e.sandbox_id = sandboxes.id and e.ended_at is null)
      limit ${batch} for update skip locked)
    returning 1`
  return gone.length
}

/** The last run of a sandbox decides; one that its caller may use for longer stays until then. */
async function sweepOfRuns(sql: Sql, days: number): Promise<number> {
  const gone = await sql`
    delete from sandboxes where id in (
      select s.id from sandboxes s join runs r on r.id = s.run_id and r.team_id = s.team_id
      where r.completed_at < now() - make_interval(days => ${days}) and (s.expires_at is null or s.expires_at < now())
      limit ${batch} for update of s skip locked)
    returning 1`
  return gone.length
}
