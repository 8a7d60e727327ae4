// Deletes access tokens that have expired.
import { job } from '../../kit/job.ts'

export const sweepAccessTokens = job({
  name: 'sweepAccessTokens',
  safeToRepeat: 'deleting what is expired finds nothing the second time',
  cron: '*/10 * * * *',
  async handler({ sql }) {
    await sql`delete from access_tokens where expires_at < now()`
  },
})
