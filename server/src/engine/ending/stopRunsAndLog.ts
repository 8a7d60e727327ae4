// Stops runs for everybody outside the engine, and logs each run that was stopped.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { activeCountedList } from '../ledger/lifecycle.ts'
import { stopRuns, type Stopped } from './stopRuns.ts'

/** How many runs one statement stops. It also locks every run below them, and a notification names them all. */
const runsAtOnce = 500

/** Returns the runs that were active, with the active runs below them. A run that had ended already is not among them. */
export async function stopRunsAndLog(context: Context, sql: Sql, ids: string[]): Promise<Stopped[]> {
  const stopped: Stopped[] = []
  for (let from = 0; from < ids.length; from += runsAtOnce) {
    const some = await stopRuns(sql, ids.slice(from, from + runsAtOnce), (runs) =>
      runs.forEach((run) => noteStopped(context, run)),
    )
    stopped.push(...some)
  }
  return stopped
}

/** Stops the runs of an agent that is being deleted, in the transaction that deletes it. */
export async function stopRunsOfAgent(
  context: Context,
  sql: Sql,
  { teamId, agentId }: { teamId: string; agentId: string },
): Promise<number> {
  const active = await sql<{ id: string }>`
    select id from runs
    where team_id = ${teamId} and agent_id = ${agentId} and counted_as in ${activeCountedList}
    order by id`
  await stopRunsAndLog(
    context,
    sql,
    active.map(({ id }) => id),
  )
  return active.length
}

/** Counts and logs a stopped run in the transaction that stops it. If that is undone, it was counted for nothing, which is rare. */
function noteStopped({ log, metrics }: Context, run: { id: string; team_id: string; agent_id: string }): void {
  metrics.runs.ended.inc({ status: 'stopped' })
  const { id: run_id, team_id, agent_id } = run
  log.info({ run_id, team_id, agent_id, status: 'stopped' }, 'run ended')
}
