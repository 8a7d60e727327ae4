// What is erased with agents. What is erased with runs, the database does by itself (migration 0125).
import type { Hooks } from '../../kit/feature.ts'
import { endReplaysOf } from './beginReplay.ts'

export const forgetAgent: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  // the sets first, as everywhere
  const sets = await sql<{ id: string }>`
    select id from replay_sets where agent_id = ${agentId} and team_id = ${teamId} order by id for update`
  await sql`delete from replay_gates where agent_id = ${agentId} and team_id = ${teamId}`
  const setIds = sets.map(({ id }) => id)
  await endReplaysOf(sql, setIds, teamId)
  await sql`delete from replay_sets where agent_id = ${agentId} and team_id = ${teamId}`
}
