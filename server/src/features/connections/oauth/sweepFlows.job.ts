// Forgets authorisations that nobody came back from, registrations that ended, and grants that nobody takes back.
import { job } from '../../../kit/job.ts'

export const sweepFlows = job({
  name: 'sweepFlows',
  cron: '*/10 * * * *',
  safeToRepeat: 'deletes only what has expired',
  async handler({ sql }) {
    await sql`delete from oauth_flows where expires_at <= now()`
    await sql`delete from oauth_registrations where expires_at <= now()`
    await sql`delete from revocations where created_at < now() - interval '2 days'`
  },
})
