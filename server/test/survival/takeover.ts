// Proof: a worker that is killed, or stopped politely, leaves no job behind.
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { newId } from '../../src/base/ids.ts'
import { percentile, startService, type Service, type StartOptions } from './processes.ts'

const entry = fileURLToPath(new URL('./slowJobService.ts', import.meta.url))

export interface Takeover {
  kills: number
  takenOver: number
  p50Ms: number
  p99Ms: number
}

interface JobRun {
  job: string
  pid: number
  what: 'begun' | 'done'
}

export async function createJobTable(client: Client): Promise<void> {
  await client.query(
    `create table if not exists slow_job_runs (job text, pid int, what text, at timestamptz default clock_timestamp())`,
  )
}

export const startWorker = (options: StartOptions): Promise<Service> =>
  startService({ ...options, entry, args: ['--role', 'worker'] })

export async function enqueueSlowJob(client: Client, ms: number): Promise<string> {
  const id = newId()
  await client.query(`select graphile_worker.add_job('slowJob', json_build_object('id', $1::text, 'ms', $2::int))`, [
    id,
    ms,
  ])
  return id
}

/** Polls the database for a row: the proof's own clock, a few ms fine. */
export async function untilRow(client: Client, job: string, wanted: (row: JobRun) => boolean): Promise<JobRun> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const { rows } = await client.query<JobRun>('select job, pid, what from slow_job_runs where job = $1', [job])
    const found = rows.find(wanted)
    if (found) return found
    if (performance.now() > deadline) throw new Error(`nothing happened to the job ${job} within 30 s`)
    await client.query('select pg_sleep(0.005)')
  }
}

/** Kills the worker that runs a job, each time, and measures until another one has begun it. */
export async function killWorkers(client: Client, options: StartOptions, { kills = 5 } = {}): Promise<Takeover> {
  const workers = [await startWorker(options), await startWorker(options)]
  const tookMs: number[] = []
  try {
    for (let round = 0; round < kills; round++) {
      const job = await enqueueSlowJob(client, 600)
      const { pid } = await untilRow(client, job, ({ what }) => what === 'begun')
      const victim = workers.findIndex((worker) => worker.pid === pid)
      await workers[victim]!.stop('SIGKILL')
      const killedAt = performance.now()
      await untilRow(client, job, (row) => row.what === 'begun' && row.pid !== pid)
      tookMs.push(performance.now() - killedAt)
      await untilRow(client, job, ({ what }) => what === 'done')
      if (round < kills - 1) workers[victim] = await startWorker(options)
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop('SIGINT')))
  }
  return {
    kills,
    takenOver: tookMs.length,
    p50Ms: Math.round(percentile(tookMs, 50)),
    p99Ms: Math.round(percentile(tookMs, 99)),
  }
}
