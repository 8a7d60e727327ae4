// Stops the active runs on cases of a queue, in the transaction that needs them out of the way.
import { part, type Part, type Sql } from '../../base/db.ts'
import { stopRunsAndLog } from '../../engine/ending/stopRunsAndLog.ts'
import type { Context } from '../../kit/context.ts'
import { activeCountedList } from '../../engine/ledger/lifecycle.ts'

interface Of {
  teamId: string
  queueId: string
}

const activeOf = ({ teamId, queueId }: Of): Part => part`
  runs where team_id = ${teamId} and counted_as in ${activeCountedList} and case_queue_id = ${queueId}`

export async function lockRunsOfQueue(sql: Sql, of: Of): Promise<void> {
  await sql`select id from ${activeOf(of)} order by id for update`
}

/** Answers with the ids of all that were stopped, those below them included. */
export async function stopRunsOfQueue(context: Context, sql: Sql, of: Of): Promise<string[]> {
  const active = await sql<{ id: string }>`select id from ${activeOf(of)} order by id`
  const stopped = await stopRunsAndLog(
    context,
    sql,
    active.map(({ id }) => id),
  )
  return stopped.map(({ id }) => id)
}
