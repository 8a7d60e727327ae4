// Refreshes the artifacts that are due, as part of every working process: each due time once, however many processes look for it.
import { isPassing, part, retryingDeadlocks, type Sql } from '../../base/db.ts'
import { engineOf } from '../../engine/engine.ts'
import type { NewRun } from '../../engine/starting/createRun.ts'
import type { Context } from '../../kit/context.ts'
import type { Tick } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { isIdle, prepareWork } from './startWork.ts'

/** How many refreshes share a commit. A process that dies leaves as many to the others. */
const atOnce = 100

interface Due {
  id: string
  team_id: string
  agent_id: string
  title: string | null
  page_build_id: string
  current_revision_id: string
  created_by_user_id: string
  acts_for: string[]
  config: unknown
}

const isDue = part`artifacts.next_refresh_at <= now()`
const next = part`next_artifact_refresh(artifacts.refresh_frequency, artifacts.next_refresh_at)`

const asked = { any: part`exists (select from artifacts where ${isDue})` }

export const refreshDue: Tick = async ({ context, signal }) => {
  if (!(await lookFor(context, asked)).any) return
  await skipBusy(context.db.sql)
  await endForLeavers(context.db.sql)
  while (!signal.aborted && (await refreshSome(context)) === atOnce) continue
}

/** What is worked on, or has no page yet, is left out this time. */
export async function skipBusy(sql: Sql): Promise<void> {
  await sql`
    update artifacts set next_refresh_at = ${next} where id in (
      select id from artifacts where ${isDue} and (current_revision_id is null or not ${isIdle}) order by id for update skip locked)`
}

/** Nobody answers for the refreshes of a member who has left: a private page would be refreshed for ever, and nobody could see it. */
async function endForLeavers(sql: Sql): Promise<void> {
  await sql`
    update artifacts set refresh_frequency = null, next_refresh_at = null,
      refresh_error = 'Its creator has left the team, so it is no longer refreshed by the clock.'
    where id in (
      select id from artifacts where ${isDue}
        and not exists (select from members m where m.id = artifacts.created_by_user_id and m.removed_at is null)
      order by id for update skip locked)`
}

/** Runs one transaction; answers how many artifacts it had. */
export async function refreshSome(context: Context): Promise<number> {
  let ids: string[] = []
  try {
    await inTransaction(context, async (sql) => (ids = await claimDue(sql)))
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error({ err: error }, 'could not refresh one of the artifacts that are due; trying each on its own')
    for (const id of ids) await refreshAlone(context, id)
  }
  return ids.length
}

/** What is claimed is locked, started and moved on in one transaction: all of it happens, or nothing. */
const inTransaction = (context: Context, claim: (sql: Sql) => Promise<string[]>): Promise<void> =>
  retryingDeadlocks(() =>
    context.db.transaction(async (sql) => {
      const ids = await claim(sql)
      if (ids.length > 0) await startRefreshes(context, sql, ids)
    }),
  )

/** An artifact that cannot be refreshed must not delay the others: it is postponed and tried again. */
async function refreshAlone(context: Context, id: string): Promise<void> {
  try {
    await inTransaction(context, async (sql) => {
      const claimed = await sql<{
        id: string
      }>`select id from artifacts where id = ${id} and ${isDue} for update skip locked`
      return claimed.map((row) => row.id)
    })
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error({ err: error, artifact_id: id }, 'could not refresh an artifact; will retry in a minute')
    await context.db
      .sql`update artifacts set next_refresh_at = now() + interval '1 minute' where id = ${id} and ${isDue}`
  }
}

/** The oldest of each team, then the next of each, so that no team waits for all of another's. */
export async function claimDue(sql: Sql): Promise<string[]> {
  const claimed = await sql<{ id: string }>`
    select id from artifacts where ${isDue} and current_revision_id is not null and ${isIdle} and id in (
      select id from (
        select id, next_refresh_at, row_number() over (partition by team_id order by next_refresh_at) as turn from artifacts where ${isDue}
      ) s order by turn, next_refresh_at limit ${atOnce})
    for update skip locked`
  return claimed.map(({ id }) => id)
}

export async function startRefreshes(context: Context, sql: Sql, ids: string[]): Promise<void> {
  // a separate statement, which begins after the locks are taken: it sees the runs that began since, and what it reads stays true until our commit
  const due = await sql<Due>`
    select artifacts.id, artifacts.team_id, artifacts.agent_id, artifacts.title, artifacts.page_build_id, artifacts.current_revision_id,
      artifacts.created_by_user_id, artifacts.acts_for, b.config
    from artifacts join builds b on b.id = artifacts.page_build_id
    where artifacts.id = any(${ids}::uuid[]) and ${isDue} and ${isIdle} order by artifacts.next_refresh_at, artifacts.id`
  const runs = new Map<NewRun, Due>()
  for (const artifact of due) runs.set(await refreshRun(context, artifact), artifact)
  const engine = engineOf(context)
  const { fitting, refused } = await engine.fitting(sql, [...runs.keys()])
  const created = fitting.length > 0 ? await engine.create(sql, fitting) : []
  const made = new Set(created.map(({ id }) => id))
  const rows = [...runs].map(([run, { id }]) => ({
    id,
    run_id: made.has(run.id) ? run.id : null,
    refusal: refused.find((refusal) => refusal.run === run)?.reason ?? null,
  }))
  await sql`
    update artifacts set next_refresh_at = ${next}, run_id = u.run_id, work = case when u.run_id is not null then 'refresh' end,
      base_revision_id = case when u.run_id is not null then artifacts.current_revision_id end,
      refresh_error = coalesce(u.refusal, artifacts.refresh_error)
    from json_to_recordset(${JSON.stringify(rows)}::json) as u (id uuid, run_id uuid, refusal text)
    where artifacts.id = u.id and artifacts.id = any(${ids}::uuid[])`
}

const refreshRun = (context: Context, due: Due): Promise<NewRun> =>
  prepareWork(context, {
    kind: 'refresh',
    artifact: due,
    buildId: due.page_build_id,
    config: due.config,
    message: null,
    memberId: due.created_by_user_id,
    baseRevisionId: due.current_revision_id,
  })
