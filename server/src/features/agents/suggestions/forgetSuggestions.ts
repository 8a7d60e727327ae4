// What is erased of suggestions with runs and agents.
import type { Hooks } from '../../../kit/feature.ts'

/** What the builder was given of a run goes with it, also when it learnt from another one at the same time. */
export const forgetRunsBehind: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  await sql`
    update builder_runs set lesson = null, updated_at = now()
    where team_id = ${teamId} and lesson is not null and id in (
      select g.builder_run_id from suggestions g join suggestion_runs r on r.suggestion_id = g.id where r.run_id = any(${runIds}::uuid[]))`
  await sql`delete from suggestion_runs where run_id = any(${runIds}::uuid[]) and team_id = ${teamId}`
}

/** No one decides for an agent that is deleted. Its builder runs and its replays have ended with it. */
export const forgetSuggestions: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  await sql`delete from suggestion_settings where agent_id = ${agentId} and team_id = ${teamId}`
  await sql`
    update suggestions g set state = 'stale', decided_at = now(), updated_at = now()
    where g.agent_id = ${agentId} and g.team_id = ${teamId} and g.state in ('drafting', 'replaying', 'open')`
}
