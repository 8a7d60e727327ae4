// Puts builder runs back to work that have no job any more: one that used up its attempts while the database was away, or was removed.
import { job, enqueueOn } from '../../../kit/job.ts'
import { advanceBuilder } from './advanceBuilder.job.ts'
import { jobOptionsOf } from './builderRun.ts'

const quietMinutes = 5

export const reviveBuilderRuns = job({
  name: 'reviveBuilderRuns',
  cron: '* * * * *',
  safeToRepeat: 'a builder run has one job by its key, and advancing it twice does no harm',
  async handler({ sql }) {
    const still = await sql<{ id: string; team_id: string }>`
      select b.id, b.team_id from builder_runs b
      where b.status in ('pending', 'running') and b.updated_at < now() - ${quietMinutes} * interval '1 minute'
        and (b.due_at is null or b.due_at < now())
        and not exists (
          select from graphile_worker.jobs j
          where j.key = 'builder ' || b.id and (j.locked_at is not null or (j.attempts < j.max_attempts and j.run_at < now() + interval '1 minute')))
      limit 100`
    for (const { id, team_id } of still) {
      await enqueueOn(sql)(advanceBuilder, { builder_run_id: id, team_id }, jobOptionsOf(id))
    }
  },
})
