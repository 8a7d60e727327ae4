// Jobs that processes died over: deaths are counted when a process is buried; after two a lone process does the job, after three it is given up.
//
// A job is identified by its key, or by its id if it has none: housekeeping that repeats by itself keeps its count from one time to the next.
import { untilWritten, type Sql } from '../base/db.ts'
import type { Alone } from './alone.ts'
import type { Context } from './context.ts'
import type { LoneDrive } from './feature.ts'
import type { Job } from './job.ts'
import { putBack } from './jobSlots.ts'
import { validatorOf } from './validate.ts'

/** How often processes that also did other work may die over a job; nobody knows which work it was. */
export const suspectDeaths = 2
const deathsMax = 3

/** A job as graphile-worker hands it out. Its type says that an id is a text, but our pool reads an int8 as a number. */
export interface TakenJob {
  id: string | number
  key: string | null
  attempts: number
}

const refOf = ({ id, key }: Pick<TakenJob, 'id' | 'key'>): string => key ?? String(id)

const placeOf = async (job: Job, sql: Sql, input: unknown): Promise<string> => (await job.place?.({ input, sql })) ?? ''

/** Every job that the dead process had locked is counted, but never up to the last death. */
export async function noteJobDeaths({ db, log, registry }: Context, poolId: string): Promise<void> {
  const locked = await db.sql<{ id: string; key: string | null; name: string; payload: unknown }>`
    select j.id::text, j.key, t.identifier as name, j.payload
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id where j.locked_by = ${poolId}`
  for (const { name, payload, ...taken } of locked) {
    const job = registry.jobs.find((one) => one.name === name)
    if (!job) continue
    // neither an input that does not fit nor a place that cannot be read may hold up the burial
    const place = validatorOf(job.input).Check(payload)
      ? await placeOf(job, db.sql, payload).catch((error: unknown) => {
          log.warn({ err: error, job: name }, 'the place of a job whose process died could not be read')
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
  alone: Alone
  job: Job
  taken: TakenJob
  input: unknown
}

/** This process keeps the job's lock and its slot meanwhile, and sees how the other process ends. Throws when the job failed. */
export async function doElsewhere({ context, alone, job, taken, input }: Elsewhere): Promise<void> {
  const { sql } = context.db
  const before = await placeOf(job, sql, input)
  const ending = await alone.drive({ kind: jobKind, id: String(taken.id), epoch: taken.attempts })
  if (ending.how === 'untouched') {
    const next = await putBack(sql, String(taken.id), input)
    if (taken.key === null)
      await sql`update job_deaths set ref = ${next} where job = ${job.name} and ref = ${refOf(taken)}`
    return
  }
  if (ending.how === 'done') {
    if (ending.failure !== undefined) throw new Error(ending.failure)
    return forgetDeaths(sql, job, taken)
  }
  const place = await untilWritten(() => placeOf(job, sql, input))
  const isFurther = place !== before
  await untilWritten(() => context.db.transaction((on) => noteLastDeath(on, isFurther ? 1 : deathsMax)))
  throw new Error(
    isFurther
      ? 'The process that did this job died, after the job had come forward.'
      : `${deathsMax} processes of the service died while they did this job, so it was given up.`,
  )

  async function noteLastDeath(on: Sql, deaths: number): Promise<void> {
    await on`
      update job_deaths set deaths = ${deaths}::int, place = ${place}, died_at = now()
      where job = ${job.name} and ref = ${refOf(taken)}`
    if (deaths < deathsMax) return
    // the failure that follows is the last one
    await on`update graphile_worker._private_jobs set attempts = max_attempts where id = ${taken.id}::bigint`
    await job.givenUp?.({ input, sql: on, deaths })
    context.log.error({ job: job.name, job_id: taken.id }, 'a job is given up: processes died over it')
  }
}

/** The kind of these units among the work that a process of its own does. */
export const jobKind = 'job'

export const driveJob: LoneDrive = async ({ context, unit, took, signal }) => {
  const { sql } = context.db
  const [held] = await sql<{ name: string; payload: unknown }>`
    select t.identifier as name, j.payload
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.id = ${unit.id}::bigint and j.attempts = ${unit.epoch} and j.locked_at is not null`
  const job = context.registry.jobs.find(({ name }) => name === held?.name)
  if (!held || !job) return false
  await took()
  await job.handler({ input: held.payload, context, sql, signal })
  return true
}
