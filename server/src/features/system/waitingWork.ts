// The oldest work that is due and nobody has begun, by who should begin it. Each is found by an index, or in a table that is small.
import type { Sql } from '../../base/db.ts'

interface WaitingWork {
  what: string
  /** Since when the oldest is due; null: none is. */
  since: Date | null
}

export const readWaitingWork = (sql: Sql): Promise<WaitingWork[]> => sql<WaitingWork>`
  select * from (
    values ('runs', (select min(admitted_at) from runs where admitted_at is not null and worker is null)),
    ('schedules', (select min(greatest(next_run_at, retry_at)) from schedules
      where next_run_at is not null and greatest(next_run_at, retry_at) <= now())),
    ('commands', (select min(requested_at) from sandbox_execs where ended_at is null and worker is null)),
    ('jobs', (select min(run_at) from graphile_worker.jobs where run_at <= now() and locked_at is null and attempts < max_attempts))
  ) as waiting (what, since)`
