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
const configsAtOnce = 1000
/** How long each part may take; the rest is done an hour later, so that a worker never does only housekeeping. */
const sweepMaxMs = 10 * 60_000

export const sweepRuns = job({
  name: 'sweepRuns',
  safeToRepeat: 'what is erased is not found a second time',
  cron: '17 * * * *',
  async handler({ context, sql, signal }) {
    const failures: unknown[] = []
    // each by itself, and in its own time: one that fails, or that has very much to erase, keeps nothing of the others
    for (const sweep of [sweepEvents, sweepTeams, forgetConfigs]) {
      const endsAt = performance.now() + sweepMaxMs
      const mayContinue = () => !signal.aborted && performance.now() < endsAt
      try {
        await sweep(context, sql, mayContinue)
      } catch (error) {
        context.log.error({ err: error, sweep: sweep.name }, 'a part of what is old could not be erased')
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  },
})

type Sweep = (context: Context, sql: Sql, mayContinue: () => boolean) => Promise<void>

const noId = '00000000-0000-0000-0000-000000000000'

const sweepEvents: Sweep = async (context, sql, mayContinue) => {
  const { events } = context.config.retentionDays
  if (events === null || !mayContinue()) return
  const keeping = registryOf(context).features.flatMap(({ keptEvents }) => keptEvents ?? [])
  const dropped = (tx: Sql, past: string, kept: string[]) => runHooks('eventsDropped', { sql: tx, context, past, kept })
  for (const partition of await dropOldEvents(context.db, { days: events, keeping, dropped })) {
    for (let after: string | undefined = noId; after !== undefined && mayContinue();) {
      after = await eraseOldEvents(sql, { partition, days: events, after, max: eventsAtOnce, keeping })
    }
  }
}

/**
 * A part of what one team has, then one of the next, in no order: the time may not be enough for all. A team of which something cannot be erased has
 * no further turn; the next sweep tries again.
 */
const sweepTeams: Sweep = async (context, sql, mayContinue) => {
  const { runs, messages } = context.config.retentionDays
  const teams = await sql<{ id: string }>`select id from teams order by random()`
  let left = [
    ...(runs === null ? [] : teams.map(({ id }) => ({ id, eraseSome: () => deleteOldRuns(context, id, runs) }))),
    ...(messages === null ? [] : teams.map(({ id }) => ({ id, eraseSome: () => eraseOldLogs(context, id, messages) }))),
  ]
  while (left.length > 0) {
    const unfinished: typeof left = []
    for (const one of left) {
      if (!mayContinue()) return
      try {
        if ((await one.eraseSome()) === runsAtOnce) unfinished.push(one)
      } catch (error) {
        context.log.error(
          { err: error, team_id: one.id },
          'what is old of a team could not be erased; the next sweep tries again',
        )
      }
    }
    left = unfinished
  }
}

interface ConfigKey {
  team_id: string
  hash: string
}

/** Erases configs of drafts that no run follows any more. A config that a start is about to use was touched just now, and stays. */
export const forgetConfigs: Sweep = async (_context, sql, mayContinue) => {
  for (let after: ConfigKey | undefined = { team_id: noId, hash: '' }; after !== undefined && mayContinue();) {
    const last: ConfigKey[] = await sql<ConfigKey>`
      with seen as materialized (
        select team_id, hash from pinned_configs where (team_id, hash) > (${after.team_id}, ${after.hash})
        order by team_id, hash limit ${configsAtOnce}
      ),
      gone as (
        delete from pinned_configs p using seen s
        where p.team_id = s.team_id and p.hash = s.hash and p.used_at < now() - interval '1 day'
          -- one look into an index for each: a join of both might read all runs
          and (select true from runs r where r.team_id = p.team_id and r.config_hash = p.hash limit 1) is null
      )
      select team_id, hash from seen order by team_id desc, hash desc limit 1`
    after = last[0]
  }
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
