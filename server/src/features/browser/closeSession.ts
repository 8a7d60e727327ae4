// What becomes of a browser session with its run: closed when that ends, gone when that is deleted.
import type { Hooks } from '../../kit/feature.ts'

/** Cookies have no use after the end, so none are kept. */
export const closeSession: NonNullable<Hooks['runEnded']> = async ({ sql, teamId, runId }) => {
  await sql`
    with closed as (
      update browser_sessions set status = 'closed', closed_at = now(), state = null
      where run_id = ${runId} and team_id = ${teamId} and status = 'open' returning id)
    update browser_pages p set closed_at = now(), active = false
    from closed where p.session_id = closed.id and p.team_id = ${teamId} and p.closed_at is null`
}

/** Pages and pictures go with their session; bytes that nobody names any more are swept. */
export const forgetSessions: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  await sql`delete from browser_sessions where team_id = ${teamId} and run_id = any(${runIds}::uuid[])`
}
