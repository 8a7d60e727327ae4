// Calls of a model that were sent, and of which nobody knows whether they were answered and charged for: they count at their worst.
import type { Sql } from '../../../base/db.ts'
import { noteModelUse } from '../../../engine/counting/usage.ts'

interface Ended {
  replay_id: string
  team_id: string
  /** Only the call of this run; without it those of all runs of the replay. */
  run_id?: string
}

/**
 * Gives back what was set aside for calls whose answers nobody waits for any more, and reports them as unsettled. Whatever ends a run must do
 * this: what stays set aside would keep the money of the replay from its other runs for ever. The caller has locked the row of the replay.
 */
export async function countInDoubt(sql: Sql, { replay_id, team_id, run_id }: Ended): Promise<void> {
  const cut = await sql<{ id: string; agent_id: string; model: string; worst: string }>`
    select h.id, r.agent_id, h.reserved_model as model, trim_scale(h.reserved_usd)::text as worst
    from replay_runs h join replays r on r.id = h.replay_id
    where h.replay_id = ${replay_id} and h.team_id = ${team_id} and h.reserved_model is not null
      and (${run_id ?? null}::uuid is null or h.id = ${run_id ?? null})
    order by h.id for no key update of h`
  for (const { id, agent_id, model, worst } of cut) {
    await sql`
      update replay_runs set reserved_usd = 0, reserved_model = null, unsettled_calls = unsettled_calls + 1
      where id = ${id} and team_id = ${team_id}`
    await sql`
      update replays set reserved_usd = reserved_usd - ${worst}::numeric, unsettled_usd = unsettled_usd + ${worst}::numeric,
        unsettled_calls = unsettled_calls + 1
      where id = ${replay_id} and team_id = ${team_id}`
    await noteModelUse(sql, { team_id, agent_id, model, purpose: 'replay', usage: undefined, cost_usd: worst })
  }
}
