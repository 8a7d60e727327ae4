// Forgets the deaths of jobs that are gone: they ended, were given up, or were deleted.
import { job } from './job.ts'
import { registryOf } from './registry.ts'

export const sweepJobDeaths = job({
  name: 'sweepJobDeaths',
  safeToRepeat: 'deleting what is gone finds nothing the second time',
  cron: '17 * * * *',
  async handler({ sql, context }) {
    // housekeeping that repeats is not there between two times, and must keep its count until the next one; a month covers every interval
    const repeated = registryOf(context).jobs.flatMap(({ name, cron }) => (cron === undefined ? [] : [name]))
    await sql`
      delete from job_deaths d where died_at < now() - case when d.job = any(${repeated}::text[]) then interval '32 days' else interval '1 hour' end
        and not exists (
          select from graphile_worker.jobs j
          where j.task_identifier = d.job and coalesce(j.key, j.id::text) = d.ref and j.attempts < j.max_attempts)`
  },
})
