// Deletes an agent's memory with the agent: nobody can reach it any more.
import type { Hooks } from '../../kit/feature.ts'

/** The store's row stays and counts a change: a write that waited for it reads again, and finds that the agent is gone. */
export const forgetMemory: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  await sql`
    insert into memory_stores as s (agent_id, team_id, changes) values (${agentId}, ${teamId}, 1)
    on conflict (agent_id) do update set files = 0, size_bytes = 0, changes = s.changes + 1`
  await sql`delete from memory_files where agent_id = ${agentId} and team_id = ${teamId}`
}
