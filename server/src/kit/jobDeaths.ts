// Jobs that processes died over. Deaths are counted when a dead process is reaped (kit/deaths.ts); a suspect is done by a process for suspects.
//
// A job is identified by its key, or by its id if it has none: housekeeping that repeats by itself keeps its count from one time to the next.
import { untilWritten, type Sql } from '../base/db.ts'
import type { SuspectProcesses } from './suspectProcesses.ts'
import type { Context } from './context.ts'
import { aloneDeaths, deathsAfter, deathsBeforeGivenUp, givenUpDeaths, mustBeAlone, suspectDeaths } from './deaths.ts'
import type { DriveSuspect } from './feature.ts'
import { teamOf, type Job, type TakenJob } from './job.ts'
import { putBack } from './jobSlots.ts'
import type { DeadProcess } from './presence.ts'
import { validatorOf } from './validate.ts'
import { registryOf } from './registry.ts'

const refOf = ({ id, key }: Pick<TakenJob, 'id' | 'key'>): string => key ?? String(id)

const placeOf = async (job: Job, sql: Sql, input: unknown): Promise<string> => (await job.place?.({ input, sql })) ?? ''

/** Counts the death for every job that the process had locked, and for those that it did as a process for suspects. */
export async function noteJobDeaths(context: Context, dead: DeadProcess): Promise<void> {
  await context.db.sql`
    update job_deaths set deaths = ${deathsAfter(dead)}, died_at = now(), worker = null where worker = ${dead.id}`
  if (dead.job_pool_id) await noteLockedJobs(context, dead.job_pool_id)
}

/** None of the attempts under way was the last one: whoever made them can no longer say that a job is given up. */
export async function spareLastAttempts(sql: Sql, poolId: string): Promise<void> {
  await sql`
    update graphile_worker._private_jobs set attempts = max_attempts - 1 where locked_by = ${poolId} and attempts >= max_attempts`
}

/** Raises the count of each job, but never to the one that gives it up: nobody knows over which job the process died. */
async function noteLockedJobs(context: Context, poolId: string): Promise<void> {
  const { db, log } = context
  await spareLastAttempts(db.sql, poolId)
  const locked = await db.sql<{ id: string; key: string | null; name: string; payload: unknown }>`
    select j.id::text, j.key, t.identifier as name, j.payload
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id where j.locked_by = ${poolId}`
  for (const { name, payload, ...taken } of locked) {
    const job = registryOf(context).jobs.find((one) => one.name === name)
    if (!job) continue
    // the reaping continues although an input does not fit or its progress cannot be read
    const place = validatorOf(job.input).Check(payload)
      ? await placeOf(job, db.sql, payload).catch((error: unknown) => {
          log.warn({ err: error, job: name }, 'could not read how far a job had come whose process died')
          return ''
        })
      : ''
    await db.sql`
      insert into job_deaths as d (job, ref, place, deaths) values (${name}, ${refOf(taken)}, ${place}, 1)
      on conflict (job, ref) do update set place = excluded.place, died_at = now(),
        deaths = case when d.place <> excluded.place then 1 else greatest(d.deaths, least(d.deaths + 1, ${suspectDeaths}::int)) end`
  }
}

export async function deathsOf(sql: Sql, job: Job, taken: TakenJob): Promise<number> {
  const [found] = await sql<{ deaths: number }>`
    select deaths from job_deaths where job = ${job.name} and ref = ${refOf(taken)}`
  return found?.deaths ?? 0
}

export async function forgetDeaths(sql: Sql, job: Job, taken: TakenJob): Promise<void> {
  await sql`delete from job_deaths where job = ${job.name} and ref = ${refOf(taken)}`
}

interface Elsewhere {
  context: Context
  suspectProcesses: SuspectProcesses
  job: Job
  taken: TakenJob
  input: unknown
  deaths: number
}

/** Has a process for suspects do the job. This process holds the job's lock and its slot until that has ended. Throws when the job failed. */
export async function doElsewhere({ context, suspectProcesses, job, taken, input, deaths }: Elsewhere): Promise<void> {
  const { db } = context
  if (deaths >= givenUpDeaths) return giveUp()
  const wanted = { kind: jobKind, teamId: teamOf(input), mustBeAlone: mustBeAlone({ deaths }) }
  const seat = suspectProcesses.reserve(wanted)
  if (!seat) return putBack(db, taken, input)
  const before = await placeOf(job, db.sql, input).catch((error: unknown) => {
    seat.release()
    throw error
  })
  const ending = await seat.drive({ kind: jobKind, id: String(taken.id), epoch: taken.attempts })
  if (ending.how === 'untouched') return putBack(db, taken, input)
  if (ending.how === 'done') {
    if (ending.failure !== undefined) throw new Error(ending.failure)
    return forgetDeaths(db.sql, job, taken)
  }
  const place = await untilWritten(() => placeOf(job, db.sql, input))
  if (place !== before) {
    await untilWritten(() => note(db.sql, 1, place))
    throw new Error('The process that did this job died, after the job had advanced.')
  }
  if (ending.isSure) return giveUp()
  await untilWritten(() => note(db.sql, aloneDeaths, place))
  return putBack(db, taken, input)

  async function note(on: Sql, count: number, at: string): Promise<void> {
    await on`
      update job_deaths set deaths = ${count}::int, place = ${at}, died_at = now(), worker = null
      where job = ${job.name} and ref = ${refOf(taken)}`
  }

  /** Gives the job up: it throws, and the job is not tried again after this failure. */
  async function giveUp(): Promise<never> {
    await untilWritten(() =>
      db.transaction(async (on) => {
        await on`update job_deaths set deaths = ${givenUpDeaths}::int, worker = null where job = ${job.name} and ref = ${refOf(taken)}`
        await on`update graphile_worker._private_jobs set attempts = max_attempts where id = ${taken.id}::bigint`
        await job.givenUp?.({ input, sql: on, deaths: deathsBeforeGivenUp })
      }),
    )
    context.log.error({ job: job.name, job_id: taken.id }, 'a job is given up: processes died over it')
    throw new Error(
      `At least ${deathsBeforeGivenUp} processes of the service died while they did this job, so it was given up.`,
    )
  }
}

/** The kind of these units among the work of processes for suspects. */
export const jobKind = 'job'

export const driveJob: DriveSuspect = async ({ context, unit, process, took, signal }) => {
  const { sql } = context.db
  const [held] = await sql<{ name: string; key: string | null; payload: unknown }>`
    select t.identifier as name, j.key, j.payload
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.id = ${unit.id}::bigint and j.attempts = ${unit.epoch} and j.locked_at is not null`
  const job = registryOf(context).jobs.find(({ name }) => name === held?.name)
  if (!held || !job) return false
  const ref = refOf({ id: unit.id, key: held.key })
  // if the process that holds the lock dies too, whoever reaps this one finds the job by this
  await sql`update job_deaths set worker = ${process.id} where job = ${job.name} and ref = ${ref}`
  await took()
  try {
    await job.handler({ input: held.payload, context, sql, signal })
  } finally {
    await sql`update job_deaths set worker = null where job = ${job.name} and ref = ${ref} and worker = ${process.id}`
  }
  return true
}
