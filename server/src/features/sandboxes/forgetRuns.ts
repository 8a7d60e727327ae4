// What becomes of the workspaces of deleted runs: nobody can reach them any more, so they go.
import type { Hooks } from '../../kit/feature.ts'

/** The files of a sandbox go with it. */
export const forgetRuns: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  await sql`delete from sandboxes where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
}
