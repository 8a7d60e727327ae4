// Stopping as everybody outside the engine does it: the runs, and a word in the log for each.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { activeCountedList } from '../ledger/lifecycle.ts'
import { stopRuns, type Stopped } from './stopRuns.ts'

/** Those that were active, with the active runs below them; one that had ended already is not in the answer. */
export function stopRunsAndLog(context: Context, sql: Sql, ids: string[]): Promise<Stopped[]> {
  return stopRuns(sql, ids, (stopped) => stopped.forEach((run) => noteStopped(context, run)))
}

/** At once, each: every run below them is locked too, and a statement is told of them all. */
const runsAtOnce = 500

/** Of an agent that is being deleted, in the transaction that deletes it. */
export async function stopRunsOfAgent(
  context: Context,
  sql: Sql,
  { teamId, agentId }: { teamId: string; agentId: string },
): Promise<number> {
  const active = await sql<{ id: string }>`
    select id from runs
    where team_id = ${teamId} and agent_id = ${agentId} and counted_as in ${activeCountedList}
    order by id`
  for (let from = 0; from < active.length; from += runsAtOnce) {
    const some = active.slice(from, from + runsAtOnce)
    await stopRunsAndLog(
      context,
      sql,
      some.map(({ id }) => id),
    )
  }
  return active.length
}

/** Counts and logs a stopped run in the transaction that stops it. If that is undone, it was counted for nothing, which is rare. */
function noteStopped({ log, metrics }: Context, run: { id: string; team_id: string; agent_id: string }): void {
  metrics.runs.ended.inc({ status: 'stopped' })
  const { id: run_id, team_id, agent_id } = run
  log.info({ run_id, team_id, agent_id, status: 'stopped' }, 'run ended')
}
