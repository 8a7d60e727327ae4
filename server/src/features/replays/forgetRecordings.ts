// What is erased with runs and agents: recordings, and what reports say of them.
import type { Hooks } from '../../kit/feature.ts'
import { endReplaysOf } from './beginReplay.ts'

/** A run that is deleted leaves only figures in the reports of replays. */
export const forgetRuns: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  // first the sets, as whoever adds to them or starts a replay locks them
  await sql`
    select id from replay_sets where team_id = ${teamId} and id in (
      select set_id from replay_recordings where run_id = any(${runIds}::uuid[])) order by id for no key update`
  await sql`delete from replay_recordings where run_id = any(${runIds}::uuid[]) and team_id = ${teamId}`
  await sql`
    update replay_runs set report = null, run_title = ''
    where run_id = any(${runIds}::uuid[]) and team_id = ${teamId} and (report is not null or run_title <> '')`
}

export const forgetAgent: NonNullable<Hooks['agentDeleted']> = async ({ sql, teamId, agentId }) => {
  // the sets first, as everywhere
  const sets = await sql<{ id: string }>`
    select id from replay_sets where agent_id = ${agentId} and team_id = ${teamId} order by id for update`
  await sql`delete from replay_gates where agent_id = ${agentId} and team_id = ${teamId}`
  const setIds = sets.map(({ id }) => id)
  await endReplaysOf(sql, setIds, teamId)
  await sql`delete from replay_sets where agent_id = ${agentId} and team_id = ${teamId}`
}
