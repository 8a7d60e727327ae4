// Retention of files: deletes workspaces whose time is over, the rest of uploads and commands, and bytes that nothing refers to.
import { moveWaiting } from '../../../drivers/blobs/moveBlobs.ts'
import { sweepBlobs, sweepObjects } from '../../../drivers/blobs/sweepBlobs.ts'
import type { Database, Sql } from '../../../base/db.ts'
import { storesOf } from '../../../kit/blobs.ts'
import type { Context } from '../../../kit/context.ts'
import { job } from '../../../kit/job.ts'
import { ended, endSandboxes, eraseSome, forgetUses } from '../eraseSandboxes.ts'

const sandboxesAtOnce = 100
const rowsAtOnce = 5000
/** How many blobs are looked at in one statement. */
const slice = 2000
const objectsAtOnce = 100
/** How long each sweep may take; the rest is done an hour later, so that a worker never does only housekeeping. */
const sweepMaxMs = 10 * 60_000

export const sweepFiles = job({
  name: 'sweepFiles',
  safeToRepeat: 'what is gone is not found a second time',
  cron: '37 * * * *',
  async handler({ context, sql, signal }) {
    const failures: unknown[] = []
    for (const [name, sweep] of Object.entries(sweepsOf(context, sql, signal))) {
      const endsAt = performance.now() + sweepMaxMs
      try {
        await sweep(() => !signal.aborted && performance.now() < endsAt)
      } catch (error) {
        context.log.error({ err: error, sweep: name }, 'a sweep of files failed; the others go on')
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  },
})

type MayContinue = () => boolean

/** Each goes its own way: one that fails keeps nothing of the others. */
function sweepsOf(
  context: Context,
  sql: Sql,
  signal: AbortSignal,
): Record<string, (mayContinue: MayContinue) => Promise<unknown>> {
  const { files: days } = context.config.retentionDays
  const stores = storesOf(context)
  const { current } = stores
  const note = (refused: Error) => context.log.warn({ err: refused }, 'an object could not be deleted; will retry')
  const noteDamaged = (damaged: Error) => context.log.error({ err: damaged }, 'a content cannot be moved; will retry')
  return {
    ...(days !== null && { 'sandboxes of runs': (mayContinue) => endThoseOfRuns(context.db, days, mayContinue) }),
    sandboxes: (mayContinue) => eraseExpired(sql, mayContinue),
    uploads: (mayContinue) => whileFull(mayContinue, rowsAtOnce, () => sweepUploads(sql)),
    commands: (mayContinue) => whileFull(mayContinue, rowsAtOnce, () => sweepExecs(sql)),
    blobs: async (mayContinue) => {
      while (mayContinue() && (await sweepBlobs(sql, slice, mayContinue)) > 0);
    },
    objects: (mayContinue) =>
      whileFull(mayContinue, objectsAtOnce, () => sweepObjects(sql, stores, objectsAtOnce, note)),
    ...(current && { moves: () => moveWaiting(sql, { ...stores, current }, { note: noteDamaged, signal }) }),
  }
}

async function whileFull(mayContinue: MayContinue, full: number, sweep: () => Promise<number>): Promise<void> {
  while (mayContinue() && (await sweep()) === full);
}

/** First they are ended, unless somebody is just taking them. From then on nobody finds them, so their rows can go in many transactions. */
async function eraseExpired(sql: Sql, mayContinue: MayContinue): Promise<void> {
  while (mayContinue()) {
    const over = await sql<{ id: string }>`
      update sandboxes set ${ended}
      where id in (
        select id from sandboxes where expires_at < now() and run_id is null
          and not exists (select from sandbox_execs e where e.sandbox_id = sandboxes.id and e.ended_at is null)
        order by expires_at limit ${sandboxesAtOnce} for update skip locked)
      returning id`
    if (over.length === 0) return
    const ids = over.map(({ id }) => id)
    await forgetUses(sql, ids)
    while (mayContinue() && !(await eraseSome(sql, ids)));
  }
}

interface SandboxOfRun {
  id: string
  created_at: Date
  is_over: boolean
}

/**
 * The last run of a sandbox decides; one that its caller may use for longer stays until then. No sandbox is younger than the end of its last run, so
 * those that are younger than the time for files are not looked at.
 */
async function endThoseOfRuns(db: Database, days: number, mayContinue: MayContinue): Promise<void> {
  let after: Pick<SandboxOfRun, 'id' | 'created_at'> | undefined
  while (mayContinue()) {
    const old: SandboxOfRun[] = await db.sql<SandboxOfRun>`
      with slice as materialized (
        select s.* from sandboxes s
        where s.run_id is not null and s.created_at < now() - make_interval(days => ${days})
          and (s.created_at, s.id) > (coalesce(${after?.created_at ?? null}::timestamptz, '-infinity'),
            coalesce(${after?.id ?? null}::uuid, '00000000-0000-0000-0000-000000000000'))
        order by s.created_at, s.id limit 2000
      )
      select s.id, s.created_at, (s.expires_at is null or s.expires_at < now())
        -- as a value of each row: a join of both might read all runs
        and coalesce((select r.completed_at from runs r where r.id = s.run_id and r.team_id = s.team_id)
          < now() - make_interval(days => ${days}), false) as is_over
      from slice s order by s.created_at, s.id`
    const ids = old.filter(({ is_over }) => is_over).map(({ id }) => id)
    while (ids.length > 0 && mayContinue()) await endUnlessUsed(db, days, ids.splice(0, sandboxesAtOnce))
    after = old.at(-1)
    if (!after) return
  }
}

/** A run may have been started again since it was seen; while it is locked it is not. */
async function endUnlessUsed(db: Database, days: number, ids: string[]): Promise<void> {
  await db.transaction(async (sql) => {
    const over = await sql<{ id: string }>`
      select s.id from sandboxes s join runs r on r.id = s.run_id and r.team_id = s.team_id
      where s.id = any(${ids}::uuid[]) and r.completed_at < now() - make_interval(days => ${days})
        and (s.expires_at is null or s.expires_at < now())
      for share of r skip locked for update of s skip locked`
    await endSandboxes(
      sql,
      over.map(({ id }) => id),
    )
  })
}

async function sweepUploads(sql: Sql): Promise<number> {
  const gone = await sql`
    delete from file_uploads where id in (
      select id from file_uploads
      where expires_at < now() - interval '1 day' and (claimed_until is null or claimed_until < now())
      limit ${rowsAtOnce})
    returning 1`
  return gone.length
}

async function sweepExecs(sql: Sql): Promise<number> {
  const gone = await sql`
    delete from sandbox_execs where id in (
      select id from sandbox_execs where ended_at < now() - interval '1 day' limit ${rowsAtOnce})
    returning 1`
  return gone.length
}
