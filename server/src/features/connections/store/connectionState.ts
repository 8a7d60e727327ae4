// How a connection changes: made, authorised again, broken, deleted; each with its event, and with the runs that waited for it.
import type { Sql } from '../../../base/db.ts'
import { emitEvent } from '../../../kit/event.ts'
import type { Connection } from './connection.ts'
import { begunList } from '../../../engine/ledger/lifecycle.ts'

/** What a renewed secret comes with; `expiresInS` null: it does not end by itself. */
interface Renewed {
  sealed: Buffer
  expiresInS: number | null
  /** Whether it can be renewed without a person. */
  isRefreshable: boolean
  scopes?: string[] | null
  oauth?: object | null
}

/** Renewed when four fifths of its time are over, and at least once a day, so that an idle grant does not lapse. */
const renewalShare = 0.8
const renewalMaxS = 86_400

export function refreshInS({
  expiresInS,
  isRefreshable,
}: Pick<Renewed, 'expiresInS' | 'isRefreshable'>): number | null {
  // one that cannot be renewed is checked when it ends, and a person is notified
  if (!isRefreshable) return expiresInS
  return expiresInS === null ? renewalMaxS : Math.min(renewalMaxS, Math.max(0, expiresInS * renewalShare))
}

/**
 * It works again, and the runs that waited for it continue. `isGiven`: because a person authorised it again or gave other headers, and not because
 * it just began to work; only then the tools that it lists next count as approved.
 */
export async function reauthorized(
  sql: Sql,
  connection: Pick<Connection, 'id' | 'team_id' | 'provider'>,
  { isGiven = true }: { isGiven?: boolean } = {},
): Promise<void> {
  const { id, team_id, provider } = connection
  await sql`
    update connections set approves_next_list = approves_next_list or ${isGiven}, given = given + ${isGiven ? 1 : 0}::int,
      list_tools_at = now() + interval '1 minute', listing_until = null, list_problem = null, refresh_attempts = 0,
      refresh_problem = null, refreshing_until = null, renewed_at = null
    where id = ${id} and team_id = ${team_id}`
  await emitEvent(sql, team_id, 'connection.updated', {
    connection_id: id,
    provider,
    status: 'active',
    change: 'reauthorized',
  })
  await endWaits(sql, id)
}

/** Marks the waits of its runs as over. Their runs are woken afterwards by the tick, so that nobody locks a connection and a run at once. */
export async function endWaits(sql: Sql, connectionId: string): Promise<void> {
  await sql`update connection_waits set is_over = true where connection_id = ${connectionId} and not is_over`
}

/**
 * The grant is gone: a person must authorise it again. Only while the secret is still the one that was refused (`generation`), and reported
 * once, with the run whose call found it.
 */
export async function breakConnection(
  sql: Sql,
  { id, generation }: { id: string; generation: number },
  reason: string,
  runId?: string,
): Promise<void> {
  const [broken] = await sql<{ team_id: string; provider: string }>`
    update connections set status = 'action_required', broken_at = now(), broken_reason = ${reason}, refreshing_until = null, updated_at = now()
    where id = ${id} and generation = ${generation} and status = 'active' returning team_id, provider`
  if (!broken) return
  const waiting = await sql<{ run_id: string }>`
    select w.run_id from connection_waits w join runs r on r.id = w.run_id and r.team_id = ${broken.team_id}
    where w.connection_id = ${id} and not w.is_over and r.status in ${begunList} order by w.created_at limit 100`
  await emitEvent(sql, broken.team_id, 'connection.action_required', {
    connection_id: id,
    provider: broken.provider,
    reason,
    waiting_run_ids: [...new Set([...(runId === undefined ? [] : [runId]), ...waiting.map(({ run_id }) => run_id)])],
  })
}
