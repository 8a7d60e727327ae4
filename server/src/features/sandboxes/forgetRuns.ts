// Deletes the workspaces of deleted runs: nobody can reach them any more.
import type { Hooks } from '../../kit/feature.ts'
import { endSandboxes, eraseSome } from './eraseSandboxes.ts'

/** Few files of a sandbox are deleted with it, many by the sweep. One that its caller may still use stays until its own time. */
export const forgetRuns: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  await sql`delete from sandbox_uses where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
  const over = await sql<{ id: string }>`
    select id from sandboxes where team_id = ${teamId} and run_id = any(${runIds}::uuid[])
      and (expires_at is null or expires_at < now()) order by id for update`
  const ids = over.map(({ id }) => id)
  if (ids.length > 0) {
    await endSandboxes(sql, ids)
    await eraseSome(sql, ids)
  }
  await sql`update sandboxes set run_id = null where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
}
