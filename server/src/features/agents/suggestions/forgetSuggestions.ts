// What is erased of suggestions with agents. What is erased with runs, the database does by itself (migration 0125).
import type { Hooks } from '../../../kit/feature.ts'

/** No one decides for an agent that is deleted. Its builder runs and its replays have ended with it. */
export const forgetSuggestions: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  await sql`delete from suggestion_settings where agent_id = ${agentId} and team_id = ${teamId}`
  await sql`
    update suggestions g set state = 'stale', decided_at = now(), updated_at = now()
    where g.agent_id = ${agentId} and g.team_id = ${teamId} and g.state in ('drafting', 'replaying', 'open')`
}
