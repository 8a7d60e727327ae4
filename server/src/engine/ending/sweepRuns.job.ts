// Retention: erases what is older than the settings allow, in small transactions that step around whatever is in use.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { enqueueOn, job } from '../../kit/job.ts'
import { dropOldEvents, eraseOldEvents } from '../../kit/oldEvents.ts'
import { deleteRuns } from './deleteRuns.ts'
import { eraseRunLogs } from './eraseRunLogs.job.ts'
import { registryOf, runHooks } from '../../kit/registry.ts'

const runsAtOnce = 500
const eventsAtOnce = 5000
/** How long one sweep may take; the rest is done an hour later, so that a worker never does only housekeeping. */
const sweepMaxMs = 10 * 60_000

export const sweepRuns = job({
  name: 'sweepRuns',
  safeToRepeat: 'what is erased is not found a second time',
  cron: '17 * * * *',
  async handler({ context, sql, signal }) {
    const endsAt = performance.now() + sweepMaxMs
    const mayContinue = () => !signal.aborted && performance.now() < endsAt
    const { events } = context.config.retentionDays
    const teams = await sql<{ id: string }>`select id from teams order by id`
    for (const { id } of teams) await sweepTeam(context, id, mayContinue)
    await forgetConfigs(sql)
    if (events === null || !mayContinue()) return
    const keeping = registryOf(context).features.flatMap(({ keptEvents }) => keptEvents ?? [])
    const dropped = (tx: Sql, past: string, kept: string[]) =>
      runHooks('eventsDropped', { sql: tx, context, past, kept })
    for (const partition of await dropOldEvents(context.db, { days: events, keeping, dropped })) {
      for (let after: string | undefined = noId; after !== undefined && mayContinue();) {
        after = await eraseOldEvents(sql, { partition, days: events, after, max: eventsAtOnce, keeping })
      }
    }
  },
})

/** Erases configs of drafts that no run follows any more. A config that a start is about to use was touched just now, and stays. */
export async function forgetConfigs(sql: Sql): Promise<void> {
  await sql`
    delete from pinned_configs p where p.used_at < now() - interval '1 day'
      and not exists (select from runs r where r.team_id = p.team_id and r.config_hash = p.hash)`
}

const noId = '00000000-0000-0000-0000-000000000000'

/** What cannot be erased of one team is tried again by the next sweep, and keeps nothing of the others. */
async function sweepTeam(context: Context, teamId: string, mayContinue: () => boolean): Promise<void> {
  const { runs, messages } = context.config.retentionDays
  try {
    if (runs !== null) await untilDone(mayContinue, () => deleteOldRuns(context, teamId, runs))
    if (messages !== null) await untilDone(mayContinue, () => eraseOldLogs(context, teamId, messages))
  } catch (error) {
    context.log.error(
      { err: error, team_id: teamId },
      'what is old of a team could not be erased; the next sweep tries again',
    )
  }
}

async function untilDone(mayContinue: () => boolean, eraseSome: () => Promise<number>): Promise<void> {
  while (mayContinue() && (await eraseSome()) === runsAtOnce);
}

function deleteOldRuns(context: Context, teamId: string, days: number): Promise<number> {
  return context.db.transaction(async (sql) => {
    const old = await sql<{ id: string }>`
      select id from runs where team_id = ${teamId} and completed_at < now() - make_interval(days => ${days})
      order by completed_at limit ${runsAtOnce} for update skip locked`
    const ids = old.map(({ id }) => id)
    return (await deleteRuns(context, sql, teamId, ids)).length
  })
}

/** Erases only logs of runs that have ended: an active run needs its log. From this mark on, the run cannot be started again. */
function eraseOldLogs(context: Context, teamId: string, days: number): Promise<number> {
  return context.db.transaction(async (sql: Sql) => {
    const marked = await sql<{ id: string }>`
      with old as materialized (
        select id from runs
        where team_id = ${teamId} and completed_at < now() - make_interval(days => ${days}) and log_erased_at is null
        order by completed_at limit ${runsAtOnce} for update skip locked
      )
      update runs r set log_erased_at = now(), message_seq = 0 from old where r.id = old.id returning r.id`
    const ids = marked.map(({ id }) => id)
    if (ids.length > 0) await enqueueOn(sql)(eraseRunLogs, { run_ids: ids, is_deleted: false })
    return ids.length
  })
}
