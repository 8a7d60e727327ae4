// Keeps graphile-worker running: restarts it after it ended with an error, and frees jobs whose lock it forgot.
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Logger,
  parseCronItems,
  run,
  type CronItem,
  type Runner,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import { part, type Sql } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { pauseAfter } from '../base/pause.ts'
import type { Context } from './context.ts'
import { spareLastAttempts } from './jobDeaths.ts'
import type { JobSlots } from './jobSlots.ts'
import type { Presence } from './presence.ts'
import { registryOf } from './registry.ts'

export interface JobEngine {
  /** Says that there may be jobs to take. */
  nudge(count: number): void
  /** The sweep calls it: frees jobs that this process has locked and that nothing in it works on. */
  poll(): Promise<void>
  /** Takes no new jobs from now on; resolves when those under way have ended. */
  stop(): Promise<void>
}

/** Jobs are short housekeeping; runs have seats of their own. */
export const jobsMax = 10
const pauses = { firstMs: 250, longestMs: 5000 }
/** A job is a stray when two polls in a row find it locked and unused: between them an answer or a completion may be under way. */
const lookEveryMs = 5000

interface Engine {
  runner: Runner
  pool: WorkerPool
  /** Ids of the jobs that were fetched and have not ended. */
  held: Set<string>
  ended: Promise<void>
}

export async function startJobEngine(
  context: Context,
  presence: Presence,
  tasks: TaskList,
  slots: JobSlots,
): Promise<JobEngine> {
  const { db, log } = context
  const stopping = new AbortController()
  let engine = await start(context, tasks, slots)
  await presence.setJobPool(engine.pool.id)
  let suspects = new Set<string>()
  let lookedAt = performance.now()

  /** graphile-worker ends itself when one of its writes fails often enough, and whenever it finds itself in an unexpected state. */
  async function keepGoing(): Promise<void> {
    for (;;) {
      await engine.ended
      if (stopping.signal.aborted) return
      log.error('the job engine ended by itself; it is started again')
      for (let failures = 1; !stopping.signal.aborted; failures++) {
        try {
          // first the jobs of the ended engine, whose name nobody remembers afterwards
          await spareLastAttempts(db.sql, engine.pool.id)
          await db.sql`select graphile_worker.force_unlock_workers(${[engine.pool.id]}::text[])`
          engine = await start(context, tasks, slots)
          await presence.setJobPool(engine.pool.id)
          // if stop was called since then, it stopped the previous engine
          if (stopping.signal.aborted) await engine.runner.stop()
          break
        } catch (error) {
          log.warn({ err: error }, 'the job engine does not start yet; will retry')
          await sleep(pauseAfter(failures, pauses), undefined, { signal: stopping.signal }).catch(() => undefined)
        }
      }
    }
  }
  const going = keepGoing()

  return {
    nudge: (count) => engine.pool.nudge(count),
    async poll() {
      if (performance.now() - lookedAt < lookEveryMs) return
      lookedAt = performance.now()
      const { pool, held } = engine
      const locked = await lockedJobs(db.sql, pool.id)
      const strays = locked.filter((id) => !held.has(id))
      const lost = strays.filter((id) => suspects.has(id))
      suspects = new Set(strays)
      if (lost.length === 0) return
      await setFree(db.sql, pool.id, lost)
      log.warn({ jobs: lost }, 'jobs whose end or whose fetch was lost with a connection are set free; they run again')
      pool.nudge(lost.length)
    },
    async stop() {
      stopping.abort()
      // an engine that has just ended has nothing to stop
      await engine.runner
        .stop()
        .catch((error: unknown) => log.debug({ err: error }, 'the job engine was ending already'))
      await going
    },
  }
}

/** The type says text, but our pool reads an int8 as a number. */
const idOf = ({ id }: { id: unknown }): string => String(id)

/** How many jobs a process runs at a time. */
export const jobConcurrency = ({ config }: Context): number => Math.min(jobsMax, config.workerConcurrency)

async function start(context: Context, tasks: TaskList, slots: JobSlots): Promise<Engine> {
  const { config, db, log } = context
  const concurrency = jobConcurrency(context)
  const events: WorkerEvents = new EventEmitter()
  const held = new Set<string>()
  events.on('localQueue:getJobs:complete', ({ jobs }) => jobs.forEach((job) => held.add(idOf(job))))
  events.on('localQueue:returnJobs', ({ jobs }) => jobs.forEach((job) => held.delete(idOf(job))))
  events.on('job:complete', ({ job }) => held.delete(idOf(job)))
  // wrapped, because a pool is itself a promise: of its end
  const created = new Promise<{ pool: WorkerPool }>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve({ pool: workerPool }))
  })
  const runner = await run({
    pgPool: db.jobPool,
    events,
    logger: jobLogger(log),
    noHandleSignals: true,
    concurrency,
    pollInterval: 1000,
    // one fetch of jobs serves all slots: otherwise each slot asks once per poll (an idle process took 2.9 % of a core, then 1.4 %)
    preset: { worker: { localQueue: { size: Math.max(2, concurrency) } } },
    gracefulShutdownAbortTimeout: config.drainS * 1000,
    forbiddenFlags: () => slots.forbidden(),
    taskList: tasks,
    parsedCronItems: parseCronItems(
      registryOf(context).jobs.flatMap(({ name, cron }) => (cron === undefined ? [] : [cronItem(name, cron)])),
    ),
  })
  const ended = runner.promise.catch((error: unknown) => log.error({ err: error }, 'the job engine stopped'))
  const { pool } = await created
  return { runner, pool, held, ended }
}

function cronItem(name: string, cron: string): CronItem {
  return { task: name, match: cron, identifier: name, options: { backfillPeriod: 0, jobKey: name } }
}

async function lockedJobs(sql: Sql, poolId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>`select id::text from graphile_worker._private_jobs where locked_by = ${poolId}`
  return rows.map(({ id }) => id)
}

/** A queue of jobs is locked together with its one job that is under way. An attempt that nobody knows of is not the last one. */
async function setFree(sql: Sql, poolId: string, ids: string[]): Promise<void> {
  const mine = part`locked_by = ${poolId}`
  await sql`
    with freed as (
      update graphile_worker._private_jobs set locked_at = null, locked_by = null, run_at = greatest(run_at, now()),
        attempts = least(attempts, max_attempts - 1)
      where id = any(${ids}::bigint[]) and ${mine} returning job_queue_id
    )
    update graphile_worker._private_job_queues set locked_at = null, locked_by = null
    where id in (select job_queue_id from freed) and ${mine}`
}

/** graphile-worker logs every job's start and end at info; our metrics cover those, so only its warnings and errors reach the log. */
export function jobLogger(log: Log): Logger {
  return new Logger((scope) => (level, message) => {
    const rank = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'trace'
    log[rank]({ job_engine: scope.label }, message)
  })
}
