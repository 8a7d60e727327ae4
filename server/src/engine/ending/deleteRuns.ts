// Deletes ended runs: from the commit on nobody finds them. Their messages, steps and events are erased afterwards, in small pieces.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { enqueueOn } from '../../kit/job.ts'
import { endedList } from '../ledger/lifecycle.ts'
import { eraseRunLogs, eraseSomeOf } from './eraseRunLogs.job.ts'
import { runHooks } from '../../kit/registry.ts'

/** Deletes runs of the team that have ended, in the caller's transaction, and returns their ids. */
export async function deleteRuns(context: Context, sql: Sql, teamId: string, ids: string[]): Promise<string[]> {
  const deleted = await sql<{ id: string }>`
    delete from runs
    where team_id = ${teamId} and id = any(${ids}::uuid[]) and status in ${endedList}
    returning id`
  const runIds = deleted.map(({ id }) => id)
  if (runIds.length === 0) return []
  // a team's inbox lists them without asking for their runs
  await sql`delete from human_requests where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
  await runHooks('runsDeleted', { sql, context, teamId, runIds })
  if (await eraseSomeOf(sql, runIds)) await enqueueOn(sql)(eraseRunLogs, { run_ids: runIds, is_deleted: true })
  return runIds
}
