// The receiver of a drill: a target that only the processes of that drill deliver to, since it is on their own machine.
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'

/** Not by an operation: the guard refuses such an address for everybody. */
export async function insertDrillTarget(sql: Sql, teamId: string, url: string): Promise<void> {
  await sql`
    insert into delivery_targets (id, team_id, kind, url, events, description, worker_pool)
    values (${newId()}, ${teamId}, 'subscription', ${url}, '{*}', 'The receiver of a drill', 'drill')`
}

/** A drill does not wait for the pauses that a failing receiver gets: what is due later becomes due now. */
export async function deliverNow(sql: Sql, teamId: string): Promise<void> {
  await sql`update deliveries set due_at = now() where team_id = ${teamId} and state = 'retrying' and due_at > now()`
  await sql`
    update delivery_targets set retry_at = now(), paused_until = null
    where team_id = ${teamId} and worker is null and (paused_until is not null or retry_at > now())`
}

/** Deliveries that have not arrived, as the service knows it. */
export async function countUndelivered(sql: Sql, teamId: string): Promise<number> {
  const [row] = await sql<{ waiting: number }>`
    select (select count(*) from deliveries where team_id = ${teamId} and state in ('new', 'retrying', 'replaying'))
      + (select count(*) from delivery_batches where team_id = ${teamId} and has_waiting) as waiting`
  return row?.waiting ?? 0
}
