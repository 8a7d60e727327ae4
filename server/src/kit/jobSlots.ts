// The job slots of a process: teams take turns, and some slots are always left for the housekeeping of the service.
//
// A job that works for a team has `team_id` in its input. Each fetch of jobs leaves out the teams that hold their share (by the flags on
// their jobs). Several fetches at once may still take one job too many: that one is put back for a second.
import { type Database, one } from '../base/db.ts'
import { createFairPool, teamShare, type FairPool, type Release } from '../base/fairPool.ts'
import { flagOfTeam, flagsOf, teamJobFlag, teamOf, type TakenJob } from './job.ts'

export interface JobSlots {
  /** Flags of jobs that this process does not take now; null when it takes any. */
  forbidden(): string[] | null
  /** Takes a slot for a job with this input; undefined when its team holds its share. */
  take(input: unknown): Release | undefined
  pool: FairPool
}

export function createJobSlots(concurrency: number, sharePercent: number): JobSlots {
  // one team has its share of the slots for teams, and all teams together leave the rest to housekeeping
  const size = teamShare(concurrency, sharePercent)
  const slots = createFairPool({ name: 'jobs', size, perTeam: teamShare(size, sharePercent) })
  return {
    pool: slots,
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

/**
 * Adds the same job again, due in a second, with its queue, its key and its counts; the current one then ends. This was not an attempt. A
 * job without a key is counted by its id, so its deaths follow it to the new one.
 */
export async function putBack(db: Pick<Database, 'transaction'>, taken: TakenJob, input: unknown): Promise<void> {
  await db.transaction(async (sql) => {
    const put = await one(sql<{ id: string; job: string }>`
      select (graphile_worker.add_job(j.task_identifier, ${JSON.stringify(input)}::json, queue_name => j.queue_name,
        run_at => now() + interval '1 second', max_attempts => j.max_attempts, job_key => j.key, priority => j.priority,
        flags => ${flagsOf(input)}::text[])).id::text as id, j.task_identifier as job
      from graphile_worker.jobs j where j.id = ${taken.id}::bigint`)
    await sql`
      update graphile_worker._private_jobs set attempts = ${Math.max(0, taken.attempts - 1)}::int where id = ${put.id}::bigint`
    if (taken.key === null)
      await sql`update job_deaths set ref = ${put.id} where job = ${put.job} and ref = ${String(taken.id)}`
  })
}
