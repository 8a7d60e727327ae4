// The job engine's part of a backup: waiting jobs and known crontabs, in a form that is ours and outlives its tables.
import type { Client } from 'pg'
import { firstRow } from '../rows.ts'
import type { ArchiveSection } from './archive.ts'

/**
 * Tasks and queues go by name, since the engine gives them new numbers. Who holds a job is left out: after a restore nobody
 * does. `id` only keeps the order of jobs that are due at once.
 */
const lists = {
  jobs: {
    columns: {
      id: 'bigint',
      task: 'text',
      queue_name: 'text',
      payload: 'json',
      priority: 'smallint',
      run_at: 'timestamptz',
      attempts: 'smallint',
      max_attempts: 'smallint',
      last_error: 'text',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
      key: 'text',
      revision: 'integer',
      flags: 'jsonb',
    },
    read: `
      select j.id, t.identifier, q.queue_name, j.payload, j.priority, j.run_at, j.attempts, j.max_attempts, j.last_error,
        j.created_at, j.updated_at, j.key, j.revision, j.flags
      from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
      order by j.id`,
    write: `
      insert into graphile_worker._private_tasks (identifier)
      select distinct task from restored_jobs on conflict (identifier) do nothing;
      insert into graphile_worker._private_job_queues (queue_name)
      select distinct queue_name from restored_jobs where queue_name is not null;
      insert into graphile_worker._private_jobs (task_id, job_queue_id, payload, priority, run_at, attempts, max_attempts,
        last_error, created_at, updated_at, key, revision, flags)
      select t.id, q.id, r.payload, r.priority, r.run_at, r.attempts, r.max_attempts, r.last_error, r.created_at,
        r.updated_at, r.key, r.revision, r.flags
      from restored_jobs r
        join graphile_worker._private_tasks t on t.identifier = r.task
        left join graphile_worker._private_job_queues q on q.queue_name = r.queue_name
      order by r.id`,
  },
  known_crontabs: {
    columns: { identifier: 'text', known_since: 'timestamptz', last_execution: 'timestamptz' },
    read: 'select identifier, known_since, last_execution from graphile_worker._private_known_crontabs order by identifier',
    write: `
      insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
      select identifier, known_since, last_execution from restored_known_crontabs`,
  },
}

type ListName = keyof typeof lists
const prefix = 'job_engine.'
const listNames = Object.keys(lists) as ListName[]

/** None when the engine was never set up on this database. */
export async function jobEngineSections(client: Client): Promise<ArchiveSection[]> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('graphile_worker._private_jobs') is not null as present`,
  )
  if (!firstRow(rows).present) return []
  return listNames.map((name) => ({
    name: `${prefix}${name}`,
    of: 'job_engine',
    columns: Object.keys(lists[name].columns),
  }))
}

function listOf(section: ArchiveSection) {
  const name = section.name.slice(prefix.length)
  const known = listNames.find((one) => one === name)
  if (!known) throw new Error(`the backup has a list of the job engine that is unknown here: ${name}`)
  return { ...lists[known], held: `restored_${known}` }
}

export const jobEngineRead = (section: ArchiveSection): string => listOf(section).read

/** Removes the jobs that the target had before: they do not belong to the backup. The names of tasks may stay. */
export async function emptyJobEngine(client: Client): Promise<void> {
  await client.query(
    'truncate graphile_worker._private_jobs, graphile_worker._private_job_queues, graphile_worker._private_known_crontabs',
  )
}

/** Makes the temporary table that holds the list until it is moved to the engine's own tables; returns its name. */
export async function holdJobEngineList(client: Client, section: ArchiveSection): Promise<string> {
  const { held, columns } = listOf(section)
  const spelled = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
  await client.query(`create temporary table ${held} (${spelled.join(', ')}) on commit drop`)
  return `pg_temp.${held}`
}

export async function placeJobEngineList(client: Client, section: ArchiveSection): Promise<void> {
  await client.query(listOf(section).write)
}
