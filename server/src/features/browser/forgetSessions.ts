// What becomes of the browser sessions of deleted runs.
import type { Hooks } from '../../kit/feature.ts'

/** Pages and pictures go with their session; bytes that nothing refers to any more are swept. */
export const forgetSessions: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  await sql`delete from browser_sessions where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
}
