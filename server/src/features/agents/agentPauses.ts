// Pauses an agent, for the operation and for rules of alerts. Only a person resumes it.
import type { Sql } from '../../base/db.ts'
import { recordPause } from '../../kit/audit.ts'
import type { AgentPauses } from '../../kit/feature.ts'

interface Pause {
  teamId: string
  agentId: string
  reason: string | null
  /** The member, or null for a rule. */
  by: string | null
  incidentId: string | null
}

/** False: it was paused before, or is gone. `updated_at` moves, so that no process starts a run by what it remembers of the agent. */
export async function markPaused(sql: Sql, { teamId, agentId, reason, by, incidentId }: Pause): Promise<boolean> {
  const paused = await sql`
    update agents set paused_at = now(), paused_reason = ${reason}, paused_by = ${by}, paused_by_incident_id = ${incidentId},
      updated_at = now()
    where id = ${agentId} and team_id = ${teamId} and deleted_at is null and not is_hidden and paused_at is null
    returning id`
  return paused.length > 0
}

export const agentPauses: AgentPauses = {
  async pause({ sql, teamId, agentId, reason, incidentId }) {
    const isPaused = await markPaused(sql, { teamId, agentId, reason, by: null, incidentId })
    // what a person does is noted with the request
    if (isPaused) await recordPause(sql, { teamId, agentId, incidentId })
    return isPaused
  },
}
