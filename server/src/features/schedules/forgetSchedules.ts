// Deletes an agent's schedules with the agent.
import type { Hooks } from '../../kit/feature.ts'

export const forgetSchedules: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  await sql`delete from schedules where agent_id = ${agentId} and team_id = ${teamId}`
}
