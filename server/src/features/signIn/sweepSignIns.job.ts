// Deletes sessions that are over, links that nobody can use any more, and sign-ins that were not finished.
import { job } from '../../kit/job.ts'
import { sessionEnd } from '../../kit/workingSessions.ts'

export const sweepSignIns = job({
  name: 'sweepSignIns',
  safeToRepeat: 'deleting what is over finds nothing the second time',
  cron: '*/10 * * * *',
  async handler({ sql }) {
    await sql`
      delete from sessions where revoked_at is not null or id in
        (select s.id from sessions s left join credential_uses u on u.credential_id = s.id where ${sessionEnd} <= now())`
    await sql`delete from sign_in_links where expires_at <= now() or used_at is not null`
    await sql`delete from oidc_sign_ins where expires_at <= now()`
  },
})
