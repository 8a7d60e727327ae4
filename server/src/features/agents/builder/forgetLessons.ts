// What the builder was given of a run goes with the log of that run, also when it learnt from another one at the same time.
import type { Hooks } from '../../../kit/feature.ts'

/** Does what the database does when the run itself is deleted (migration 0126). */
export const forgetLessons: NonNullable<Hooks['runLogsErased']> = async ({ sql, runIds }) => {
  await sql`
    update builder_runs set lesson = null, updated_at = now() where lesson is not null and run_id = any(${runIds}::uuid[])`
  await sql`
    update builder_runs set lesson = null, updated_at = now() where lesson is not null and id in (
      select g.builder_run_id from suggestions g join suggestion_runs r on r.suggestion_id = g.id where r.run_id = any(${runIds}::uuid[]))`
}
