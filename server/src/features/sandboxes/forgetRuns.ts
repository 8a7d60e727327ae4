// Deletes the workspaces of deleted runs: nobody can reach them any more.
import type { Hooks } from '../../kit/feature.ts'

/** The files of a sandbox are deleted with it. One that its caller may still use stays until its own time. */
export const forgetRuns: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  await sql`delete from sandbox_uses where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
  await sql`
    delete from sandboxes where team_id = ${teamId} and run_id = any(${runIds}::uuid[])
      and (expires_at is null or expires_at < now())`
  await sql`update sandboxes set run_id = null where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
}
