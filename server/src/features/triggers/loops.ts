// Finds deliveries that would close a loop: the run that an event tells of was started by the same trigger, or was caused by such a run.
import type { Sql } from '../../base/db.ts'

interface Asking {
  id: string
  team_id: string
  kind: string
}

/** An event that lies this many causes behind its first one starts nothing either: nobody can tell any more where it comes from. */
const causesMax = 32

/**
 * The deliveries among these that come back to their own trigger. What causes a run: the run above it, the run that it retries, the run that
 * made its case, and the run whose event started it through any trigger.
 */
export async function loopsOf(
  sql: Sql,
  { id, team_id, kind }: Asking,
  deliveries: { id: string; caused_by_run_id: string | null }[],
): Promise<Set<string>> {
  const caused = deliveries.filter(({ caused_by_run_id }) => caused_by_run_id !== null)
  if (kind !== 'event' || caused.length === 0) return new Set()
  const runs = [...new Set(caused.map(({ caused_by_run_id }) => caused_by_run_id!))]
  const rows = await sql<{ event_run_id: string }>`
    with recursive cause (event_run_id, run_id, steps) as (
      select run_id, run_id, 0 from unnest(${runs}::uuid[]) run_id
      union
      select c.event_run_id, before.run_id, c.steps + 1
      from cause c join runs r on r.id = c.run_id and r.team_id = ${team_id}, lateral (
        select r.parent_run_id as run_id
        union select r.retry_of_run_id
        union select k.created_by_run_id from cases k where k.id = r.case_id and k.team_id = ${team_id}
        union select d.caused_by_run_id from trigger_deliveries d where d.run_id = r.id and d.team_id = ${team_id}
      ) before
      where before.run_id is not null and c.steps < ${causesMax}
    )
    select distinct c.event_run_id from cause c
    where c.steps = ${causesMax} or exists (
      select from trigger_deliveries d where d.run_id = c.run_id and d.trigger_id = ${id} and d.team_id = ${team_id})`
  const closing = new Set(rows.map(({ event_run_id }) => event_run_id))
  return new Set(caused.filter((one) => closing.has(one.caused_by_run_id!)).map((one) => one.id))
}
