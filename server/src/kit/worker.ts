// Runs the declared jobs on graphile-worker, and at each beat sets free what dead processes held and lets the features tick.
import { runOnce, type JobHelpers, type TaskList } from 'graphile-worker'
import { isPassing, part as sqlPart, untilWritten } from '../base/db.ts'
import type { SuspectProcesses } from './suspectProcesses.ts'
import type { Context } from './context.ts'
import { suspectDeaths } from './deaths.ts'
import type { Feature, WorkingProcess } from './feature.ts'
import type { Job } from './job.ts'
import { deathsOf, doElsewhere, forgetDeaths, noteJobDeaths } from './jobDeaths.ts'
import { startBeat, type Beat, type Loop } from './beat.ts'
import { watchLoop } from './loops.ts'
import { jobConcurrency, jobLogger, jobsMax, startJobEngine, type JobEngine } from './jobEngine.ts'
import { createJobSlots, putBack, type JobSlots } from './jobSlots.ts'
import { drillWorkerRole, type DeadProcess, type Presence } from './presence.ts'
import { lookFor } from './sharedLook.ts'
import { sharedPoolsOf } from './sharedPools.ts'
import { validatorOf } from './validate.ts'
import { registryOf } from './registry.ts'

interface Worker {
  /** No new jobs from now on; resolves when those under way have ended, which are aborted after the drain time. */
  stop(): Promise<void>
}

/** What else a working process does with the sweep: the engine's part, passed in because the kit does not know runs. */
interface SweepPart {
  /** Sets free what a dead process held. */
  reap(dead: DeadProcess): Promise<void>
  /** Called at each beat. */
  poll(): Promise<void>
  /** Does work that two processes died over. */
  suspectProcesses: SuspectProcesses
}

export async function startWorker(context: Context, presence: Presence, part?: SweepPart): Promise<Worker> {
  const suspectProcesses = part?.suspectProcesses
  const slots = createJobSlots(jobConcurrency(context), context.config.teamShare)
  sharedPoolsOf(context).add(slots.pool)
  const tasks = taskList(context, { held: () => presence.held(), slots, suspectProcesses })
  const jobs = await startJobEngine(context, presence, tasks, slots)
  const beat = startBeat()
  const sweeping = startSweep(context, beat, presence, jobs, part)
  const looking = startLooking(context, beat, async () => {
    await part?.poll()
    await jobs.poll()
  })
  const ticking = startTicks(context, beat)
  const self = { id: presence.processId, lost: () => presence.held(), suspectProcesses }
  const working = startFeatureWork(context, beat, self)
  return {
    async stop() {
      // first of all no new jobs; the sweep continues at the same time, for it sets free what others may run
      await Promise.all([jobs.stop(), ticking.stop(), working.stop()])
      await Promise.all([sweeping.stop(), looking.stop()])
    },
  }
}

/**
 * The worker of a drill, which will be killed: it does nothing that is anybody else's. It neither runs jobs nor ticks, and the deaths of
 * others are seen by the processes of the service.
 */
export function startDrillWorker(
  context: Context,
  presence: Presence,
  part: Pick<SweepPart, 'poll' | 'suspectProcesses'>,
): Worker {
  const beat = startBeat()
  const looking = startLooking(context, beat, () => part.poll())
  const self = { id: presence.processId, lost: () => presence.held(), suspectProcesses: part.suspectProcesses }
  const working = startFeatureWork(context, beat, self, ({ worksInDrills }) => worksInDrills === true)
  return {
    async stop() {
      await Promise.all([looking.stop(), working.stop()])
    },
  }
}

/** Jobs that a dead process had locked are free at once instead of after graphile-worker's own four hours. */
function startSweep(context: Context, beat: Beat, presence: Presence, jobs: JobEngine, part?: SweepPart): Loop {
  const { db, log, metrics } = context
  const watch = watchLoop(context, 'sweep')
  // a process without others sees by the shared look when one comes. Beside others it sweeps on the connection of its presence, which waits
  // for nobody when all connections are in use
  const asked = { others: sqlPart`exists (select from processes where id <> ${presence.processId})` }
  let hasOthers = true
  return beat.loop(watch, async () => {
    try {
      hasOthers ||= (await lookFor(context, asked)).others
      if (!hasOthers) return
      hasOthers = await presence.sweep(async (dead) => {
        // jobs are counted while they are still locked: nobody works on them at the same time
        await noteJobDeaths(context, dead)
        if (dead.job_pool_id) {
          await db.sql`select graphile_worker.force_unlock_workers(${[dead.job_pool_id]}::text[])`
        }
        // unlocking notifies nobody; without this the jobs would wait for the next poll
        jobs.nudge(jobsMax)
        await part?.reap(dead)
        for (const { reap } of registryOf(context).features) await reap?.(context, dead)
        if (dead.role === drillWorkerRole) {
          log.info({ process_id: dead.id }, 'a worker of a drill was killed; its work is set free')
          return
        }
        metrics.takeovers.inc()
        log.warn({ process_id: dead.id }, 'a process died; its work is set free')
      })
    } catch (error) {
      watch.failed()
      log.warn({ err: error }, 'the sweep failed; will retry')
    }
  })
}

/** Runs that are due or no longer ours, and jobs that nobody works on. */
function startLooking(context: Context, beat: Beat, look: () => Promise<void>): Loop {
  const watch = watchLoop(context, 'runs')
  return beat.loop(watch, async () => {
    try {
      await look()
    } catch (error) {
      watch.failed()
      context.log.warn({ err: error }, 'could not look for runs that are due; will retry')
    }
  })
}

/** Each has a loop of its own: one that has much to do holds up neither the others nor the sweep. */
function startTicks(context: Context, beat: Beat): Loop {
  const loops = registryOf(context).features.flatMap(({ name, tick }) => {
    if (!tick) return []
    const watch = watchLoop(context, `${name} tick`)
    const loop = beat.loop(watch, async (signal) => {
      try {
        await tick({ context, signal })
      } catch (error) {
        watch.failed()
        context.log.warn({ err: error, feature: name }, 'a tick failed; will retry')
      }
    })
    return [loop]
  })
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** What features keep going, each with a loop of its own for what it may have missed. */
function startFeatureWork(
  context: Context,
  beat: Beat,
  process: WorkingProcess,
  isWanted: (feature: Feature) => boolean = () => true,
): Loop {
  const all = registryOf(context).features.flatMap((feature) => {
    const { name, work } = feature
    if (!work || !isWanted(feature)) return []
    const mine = work(context, process)
    const watch = watchLoop(context, `${name} work`)
    const loop = beat.loop(watch, async () => {
      try {
        await mine.poll()
      } catch (error) {
        watch.failed()
        context.log.warn({ err: error, feature: name }, 'a poll failed; will retry')
      }
    })
    return [{ mine, loop }]
  })
  return {
    async stop() {
      await Promise.all(all.map(({ loop }) => loop.stop()))
      await Promise.all(all.map(({ mine }) => mine.stop()))
    },
  }
}

/** Runs every job that is due, and those they enqueue, until none is left. Tests and scripts use it instead of waiting. */
export async function drain(context: Context): Promise<void> {
  await runOnce({
    pgPool: context.db.pool,
    logger: jobLogger(context.log),
    noHandleSignals: true,
    taskList: taskList(context),
  })
}

interface TaskOptions {
  /** Aborted when this process must no longer assume that its jobs are its own. */
  held?: () => AbortSignal
  /** Without them every job runs at once. */
  slots?: JobSlots
  /** Without it a job that processes died over runs like any other. */
  suspectProcesses?: SuspectProcesses | undefined
}

function taskList(context: Context, { held, slots, suspectProcesses }: TaskOptions = {}): TaskList {
  return Object.fromEntries(
    registryOf(context).jobs.map((job) => [
      job.name,
      async (payload: unknown, { abortSignal, job: taken }: JobHelpers) => {
        const release = slots ? slots.take(payload) : () => undefined
        if (!release) {
          await putBack(context.db, taken, payload)
          return
        }
        const startedAt = performance.now()
        const ended = (outcome: string) =>
          context.metrics.jobSeconds.observe({ job: job.name, outcome }, (performance.now() - startedAt) / 1000)
        const fits = validatorOf(job.input)
        try {
          if (!fits.Check(payload)) throw new Error(`the input of the job ${job.name} does not fit`)
          const signal = AbortSignal.any([abortSignal, held?.()].filter((one) => one !== undefined))
          const deaths = suspectProcesses ? await deathsOf(context.db.sql, job, taken) : 0
          if (suspectProcesses && deaths >= suspectDeaths)
            await doElsewhere({ context, suspectProcesses, job, taken, input: payload, deaths })
          else await job.handler({ input: payload, context, sql: context.db.sql, signal })
          if (deaths > 0 && deaths < suspectDeaths) await forgetDeaths(context.db.sql, job, taken)
          ended('done')
        } catch (error) {
          ended('failed')
          context.log.error({ err: error, job: job.name }, 'job failed')
          if (taken.attempts >= taken.max_attempts && fits.Check(payload))
            await noteGivenUp(context, job, taken, payload)
          throw error
        } finally {
          release()
        }
      },
    ]),
  )
}

/** The job engine does not try it again after this failure, unless another process has taken the job since then. */
const noteGivenUp = (
  { db }: Context,
  job: Job,
  { id, locked_by }: JobHelpers['job'],
  input: unknown,
): Promise<void> => {
  return untilWritten(
    () =>
      db.transaction(async (sql) => {
        const ours = await sql`
          select from graphile_worker._private_jobs where id = ${id}::bigint and locked_by is not distinct from ${locked_by}::text for update`
        if (ours.length > 0) await job.givenUp?.({ input, sql, deaths: 0 })
      }),
    undefined,
    isPassing,
  )
}
