// What /metrics says about the whole installation: living processes, the oldest work that waits, what failed for good, and the disk.
// Every process says the same, so alerts take the largest. Where nobody scrapes, nothing is asked.
import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { holdsItsLock } from '../../kit/presence.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { readWaitingWork } from './waitingWork.ts'

/** A scrape measures again when the last measurement is older than this. Measuring takes some 2 ms (measured with 20,000 runs). */
const measureEveryMs = 15_000

/** The roles that are always reported: a missing series would be no zero. */
const roles = ['all', 'api', 'worker']

interface Fact {
  kind: 'processes' | 'zones' | 'oldest' | 'failed' | 'breakers' | 'archive'
  name: string
  /** The role of the processes of a zone. */
  role?: string | null
  value: number | null
}

/**
 * Each part is found by an index or in a small table. Targets that nobody serves and that wait for no retry have nothing to send. Requests
 * that are pending are in a partial index. `pg_stat_archiver` says whether the last piece of the write-ahead log could be archived.
 */
const readFacts = (sql: Sql): Promise<Fact[]> => sql<Fact>`
  with living as materialized (select p.role, coalesce(p.report ->> 'zone', '') as zone from processes p where ${holdsItsLock})
  select 'processes' as kind, role as name, null as role, count(*)::float8 as value from living group by role
  union all
  select 'zones', zone, role, count(*)::float8 from living group by zone, role
  union all
  select 'oldest', 'deliveries', null, extract(epoch from now() - min(least(b.created_at, n.created_at, r.created_at)))::float8
  from delivery_targets t
    left join lateral (select created_at from delivery_batches where target_id = t.id and has_waiting order by n limit 1) b on true
    left join lateral (select created_at from deliveries where target_id = t.id and state = 'new' order by n limit 1) n on true
    left join lateral (select created_at from deliveries where target_id = t.id and state = 'retrying' order by due_at limit 1) r on true
  where t.worker is not null or t.retry_at is not null
  union all
  select 'oldest', 'human_requests', null, extract(epoch from now() - min(created_at))::float8 from human_requests where status = 'pending'
  union all
  select 'failed', 'jobs', null, count(*)::float8 from graphile_worker.jobs where attempts >= max_attempts
  union all
  select 'breakers', provider, null, count(*)::float8 from model_breakers where open_until > now() group by provider
  union all
  select 'archive', 'failing', null, (last_failed_time > coalesce(last_archived_time, '-infinity') is true)::int::float8
  from pg_stat_archiver where current_setting('archive_mode') <> 'off'`

/** Registers the gauges, once for each process. */
export const installationMetricsOf = runningPart('installation metrics', expose)

function expose({ metrics: { registry }, db, log, config }: Context): void {
  let measuredAt = -Infinity
  let measuring: Promise<void> | undefined

  async function measure(): Promise<void> {
    try {
      fill(gauges, await readFacts(db.sql))
      for (const { what, since } of await readWaitingWork(db.sql)) gauges.oldest.set({ what }, secondsSince(since))
    } catch (error) {
      log.warn({ err: error }, 'the state of the installation could not be measured; will retry')
    }
    await measureDisk(gauges, config.dataDir)
    measuredAt = performance.now()
  }

  // all gauges wait for one measurement, whichever is asked first
  async function collect(): Promise<void> {
    if (performance.now() - measuredAt < measureEveryMs || !db.watch.isPresent()) return
    await (measuring ??= measure().finally(() => (measuring = undefined)))
  }

  const gauges = makeGauges(registry, collect)
}

type Gauges = ReturnType<typeof makeGauges>

function makeGauges(registry: Registry, collect: () => Promise<void>) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry], collect })
  return {
    processes: gauge('runyard_processes', 'Living processes of the installation, by role.', ['role']),
    zones: gauge(
      'runyard_zone_processes',
      'Living processes of the installation, by zone and role; the zone is empty for those that have none.',
      ['zone', 'role'],
    ),
    oldest: gauge(
      'runyard_waiting_oldest_seconds',
      'Age of the oldest that waits: runs, schedules, commands and jobs that nobody has begun, deliveries that have not arrived, human requests without an answer.',
      ['what'],
    ),
    failedJobs: gauge('runyard_jobs_given_up', 'Jobs that failed so often that they are not tried again.', []),
    breakers: gauge('runyard_open_breakers', 'Teams for which a provider of models is left alone, by provider.', [
      'provider',
    ]),
    archive: gauge(
      'runyard_wal_archive_failing',
      '1 while PostgreSQL cannot archive its write-ahead log, 0 where it can or does not archive.',
      [],
    ),
    free: gauge('runyard_data_dir_free_bytes', 'Free bytes of the disk that holds the data dir.', []),
    size: gauge('runyard_data_dir_size_bytes', 'Size of that disk.', []),
  }
}

function fill(gauges: Gauges, facts: Fact[]): void {
  const of = (kind: Fact['kind']) => facts.filter((fact) => fact.kind === kind)
  // what is gone must not stay at its last value
  gauges.processes.reset()
  gauges.zones.reset()
  gauges.breakers.reset()
  for (const role of roles) gauges.processes.set({ role }, 0)
  for (const { name, value } of of('processes')) gauges.processes.set({ role: name }, value ?? 0)
  for (const { name, role, value } of of('zones')) gauges.zones.set({ zone: name, role: role ?? '' }, value ?? 0)
  for (const { name, value } of of('breakers')) gauges.breakers.set({ provider: name }, value ?? 0)
  for (const { name, value } of of('oldest')) gauges.oldest.set({ what: name }, Math.max(0, value ?? 0))
  for (const { value } of of('failed')) gauges.failedJobs.set(value ?? 0)
  gauges.archive.set(of('archive')[0]?.value ?? 0)
}

const secondsSince = (since: Date | null): number =>
  since === null ? 0 : Math.max(0, Date.now() - since.getTime()) / 1000

/** A process on a database of its own may have no data dir at all. */
async function measureDisk(gauges: Gauges, folder: string): Promise<void> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    gauges.free.set(bavail * bsize)
    gauges.size.set(blocks * bsize)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
