// What becomes of an agent's schedules when the agent is deleted: they go with it.
import type { Hooks } from '../../kit/feature.ts'

export const forgetSchedules: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  await sql`delete from schedules where agent_id = ${agentId} and team_id = ${teamId}`
}
