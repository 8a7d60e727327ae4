// The job slots of a process: teams take turns, and some slots are always left for the housekeeping of the service.
//
// A job that works for a team says so by `team_id` in its input. Whoever looks for jobs leaves out the teams that hold their share (by the
// flags on their jobs). Several looks at once may still bring one job too many: that one is put back for a second.
import type { Sql } from '../base/db.ts'
import { createFairPool, teamShare, type Release } from '../base/fairPool.ts'
import { flagOfTeam, flagsOf, teamJobFlag, teamOf } from './job.ts'

export interface JobSlots {
  /** Flags of jobs that this process does not take now; null: it takes any. */
  forbidden(): string[] | null
  /** A slot for a job with this input; undefined: its team has its share. */
  take(input: unknown): Release | undefined
}

export function createJobSlots(concurrency: number, sharePercent: number): JobSlots {
  // of the slots of all teams together one team has its share, and all teams together leave the rest to housekeeping
  const size = teamShare(concurrency, sharePercent)
  const slots = createFairPool({ name: 'jobs', size, perTeam: teamShare(size, sharePercent) })
  return {
    forbidden() {
      if (slots.taken() >= slots.size) return [teamJobFlag]
      const full = slots.fullTeams()
      return full.length === 0 ? null : full.map(flagOfTeam)
    },
    take(input) {
      const team = teamOf(input)
      return team === undefined ? () => undefined : slots.tryTake(team)
    },
  }
}

/** The same job again in a second, with its queue and its key; the one at hand then ends. Answers with the id of the new one. */
export async function putBack(sql: Sql, jobId: string, input: unknown): Promise<string> {
  const [put] = await sql<{ id: string }>`
    select (graphile_worker.add_job(j.task_identifier, ${JSON.stringify(input)}::json, queue_name => j.queue_name,
      run_at => now() + interval '1 second', max_attempts => j.max_attempts, job_key => j.key, priority => j.priority,
      flags => ${flagsOf(input)}::text[])).id::text as id
    from graphile_worker.jobs j where j.id = ${jobId}::bigint`
  return put!.id
}
