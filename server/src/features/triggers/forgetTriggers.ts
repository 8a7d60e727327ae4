// What goes with other records: an agent's triggers with the agent, and what came in with the runs that it started.
import type { Hooks } from '../../kit/feature.ts'

export const forgetTriggers: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  const gone = await sql<{ id: string }>`
    delete from triggers where agent_id = ${agentId} and team_id = ${teamId} returning id`
  const ids = gone.map(({ id }) => id)
  if (ids.length === 0) return
  await sql`delete from trigger_deliveries where trigger_id = any(${ids}::uuid[]) and team_id = ${teamId}`
  await sql`delete from trigger_keys where trigger_id = any(${ids}::uuid[]) and team_id = ${teamId}`
}

/** What came in is what the run was told. Its key stays, as a hash: an erased run does not start again. */
export const forgetDeliveries: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  await sql`delete from trigger_deliveries where run_id = any(${runIds}::uuid[]) and team_id = ${teamId}`
}
