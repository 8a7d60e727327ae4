// What a process says about itself every five seconds: its loops, lanes and pools. A report that stays away is a sign too.
import { Gauge, Histogram } from 'prom-client'
import { countMigrations } from '../base/migrate.ts'
import type { WorkerPools } from '../base/settingKinds.ts'
import { watchRestingMemory } from '../base/restingMemory.ts'
import { runyardVersion } from '../base/version.ts'
import type { Context } from './context.ts'
import { ownChannel } from './listener.ts'
import { reportLoops, watchLoop, type LoopReport } from './loops.ts'
import { laneWaiting } from './laneMetrics.ts'
import { sharedPoolsOf } from './sharedPools.ts'
import { readStoreState, type StoreState } from './storeState.ts'

export interface ProcessReport {
  version: string
  /** How many it knows: whoever migrates the database sees which schemas it can work on. */
  migrations: number
  memory_bytes: number
  /** How much of one core it used since the report before. */
  cpu_percent: number
  /** Where it runs; null: nobody said it. */
  zone: string | null
  /** What it sees of the database, which may have moved to another zone since the report before. */
  database: { zone: string | null; round_trip_ms: number | null }
  /** What it saw of the object store; null: it never asked. */
  object_store: StoreState | null
  /** Where it is called alone when a run is ready; null: it works on no runs, or does not listen there yet. */
  own_channel: string | null
  /** Which runs it works on; null: on all. */
  worker_pools: WorkerPools | null
  loops: LoopReport[]
  lanes: LaneReport[]
  pools: PoolReport[]
}

interface LaneReport {
  name: string
  commits: number
  operations: number
  mean_ms: number
  waiting: number
}

interface PoolReport {
  name: string
  size: number
  taken: number
  waiting: number
  /** How many slots one team may hold; null where teams do not share it by slots. */
  per_team: number | null
}

const everyMs = 5000
/** A process that has just started reports sooner: its loops begin one after the other, and somebody may be watching. */
const firstReports = 5
const atFirstMs = 1000

/** Writes the report of this process into its row, until it is stopped. */
export function startReporting(context: Context, processId: string): { stop(): Promise<void> } {
  const { db, log } = context
  const watch = watchLoop(context, 'report')
  const memory = watchRestingMemory()
  let before = { at: performance.now(), cpu: process.cpuUsage() }
  let plannedAt = 0
  let timer: NodeJS.Timeout
  let isStopped = false
  let written = 0
  let writing = Promise.resolve()

  async function write(): Promise<void> {
    watch.begun(performance.now() - plannedAt)
    const now = { at: performance.now(), cpu: process.cpuUsage() }
    const cpuMs = (now.cpu.user + now.cpu.system - before.cpu.user - before.cpu.system) / 1000
    const cpuPercent = Math.round((cpuMs / Math.max(1, now.at - before.at)) * 100)
    if (memory.note(cpuPercent)) log.debug('this process rests; memory that it does not use is given back')
    const report = await reportOf(context, processId, cpuPercent)
    before = now
    try {
      await db.sql`
        update processes set report = ${JSON.stringify(report)}::jsonb, reported_at = now() where id = ${processId}`
    } catch (error) {
      watch.failed()
      log.debug({ err: error }, 'the report of this process could not be written; will retry')
    }
    watch.ended()
    written += 1
    if (!isStopped) next(written < firstReports ? atFirstMs : everyMs)
  }

  function next(ms: number): void {
    plannedAt = performance.now() + ms
    timer = setTimeout(() => {
      writing = write()
    }, ms)
    timer.unref()
  }
  next(0)
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await writing
    },
  }
}

async function reportOf(context: Context, processId: string, cpuPercent: number): Promise<ProcessReport> {
  const channel = ownChannel(processId)
  return {
    version: runyardVersion,
    migrations: await countMigrations(),
    memory_bytes: process.memoryUsage.rss(),
    cpu_percent: cpuPercent,
    zone: context.config.zone ?? null,
    database: seenDatabase(context),
    object_store: readStoreState(context),
    own_channel: context.listener.hears(channel) ? channel : null,
    worker_pools: context.config.workerPools ?? null,
    loops: reportLoops(context),
    lanes: await reportLanes(context),
    pools: await reportPools(context),
  }
}

/** The database as this process sees it, for whoever asks where things are. */
export function seenDatabase({ db }: Context): ProcessReport['database'] {
  const { zone, roundTripMs } = db.watch.server()
  return { zone, round_trip_ms: roundTripMs === null ? null : Math.round(roundTripMs * 100) / 100 }
}

async function reportLanes({ metrics: { registry } }: Context): Promise<LaneReport[]> {
  const [sizes, times] = await Promise.all(
    ['runyard_lane_flush_operations', 'runyard_lane_flush_duration_seconds'].map(async (name) => {
      const metric = registry.getSingleMetric(name)
      return metric instanceof Histogram ? (await metric.get()).values : []
    }),
  )
  const gauge = registry.getSingleMetric(laneWaiting)
  const waiting = gauge instanceof Gauge ? (await gauge.get()).values : []
  const valueOf = (values: typeof sizes, lane: unknown, ending: string): number =>
    values?.find(({ labels, metricName }) => labels['lane'] === lane && metricName?.endsWith(ending))?.value ?? 0
  const names = new Set((sizes ?? []).map(({ labels }) => String(labels['lane'])))
  return [...names].toSorted().map((name) => {
    const commits = valueOf(sizes, name, '_count')
    const seconds = valueOf(times, name, '_sum')
    return {
      name,
      commits,
      operations: valueOf(sizes, name, '_sum'),
      mean_ms: commits === 0 ? 0 : Math.round((seconds / commits) * 1000),
      waiting: waiting.find(({ labels }) => labels['lane'] === name)?.value ?? 0,
    }
  })
}

async function reportPools(context: Context): Promise<PoolReport[]> {
  const { db, metrics } = context
  const [held, seats] = await Promise.all(
    [metrics.runs.held, metrics.runs.places].map(async (gauge) => (await gauge.get()).values[0]?.value ?? 0),
  )
  const { pool, connectionsMax } = db
  return [
    {
      name: 'database connections',
      size: connectionsMax,
      taken: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
      per_team: null,
    },
    ...((seats ?? 0) > 0
      ? [{ name: 'runs at work', size: seats ?? 0, taken: held ?? 0, waiting: 0, per_team: null }]
      : []),
    ...[...sharedPoolsOf(context)].map((one) => ({
      name: one.name,
      size: one.size,
      taken: one.taken(),
      waiting: one.waiting(),
      per_team: one.perTeam,
    })),
  ]
}
