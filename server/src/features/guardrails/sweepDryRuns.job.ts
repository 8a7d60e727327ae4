// Erases dry runs of guardrails after 30 days.
import { job } from '../../kit/job.ts'

export const sweepDryRuns = job({
  name: 'sweepDryRuns',
  safeToRepeat: 'deleting what is old finds nothing the second time',
  cron: '41 3 * * *',
  async handler({ sql }) {
    await sql`delete from guardrail_dry_runs where created_at < now() - interval '30 days'`
  },
})
