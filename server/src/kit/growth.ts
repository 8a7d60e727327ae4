// What grows in the database: bytes and rows of groups of tables, and the age of the oldest row. It is cheap: no table is read whole.
import { Gauge, type Registry } from 'prom-client'
import type { Database, Sql } from '../base/db.ts'
import type { Log } from '../base/log.ts'

/** The tables of each group; a table that is in no group counts as `other`, so that none is forgotten. */
const groups = {
  runs: [
    'runs',
    'run_messages',
    'run_steps',
    'run_cuts',
    'run_search',
    'human_requests',
    'evaluations',
    'evaluation_transcripts',
  ],
  events: ['event_batches'],
  blobs: ['blobs', 'blob_chunks', 'blob_objects', 'blobs_to_move'],
  files: ['workspace_files', 'browser_screenshots', 'browser_pages', 'memory_files'],
  cases: ['cases', 'case_events', 'case_search', 'case_labels'],
  audit: ['audit_log'],
  deliveries: ['deliveries', 'delivery_batches'],
  replies: ['idempotency_keys'],
}

export interface Growth {
  what: string
  /** Includes indexes. */
  bytes: number
  /** The number that PostgreSQL last estimated. */
  rows: number
  oldest: Date | null
}

/** Lists the largest first. An index finds the oldest row: ids begin with the time. */
export async function readGrowth(sql: Sql): Promise<Growth[]> {
  const named = Object.entries(groups).flatMap(([what, tables]) => tables.map((table) => ({ what, table })))
  return sql<Growth>`
    with sizes as (
      select coalesce(g.what, 'other') as what, sum(pg_total_relation_size(c.oid))::bigint as bytes,
        sum(greatest(c.reltuples, 0))::bigint as rows
      from pg_class c left join unnest(${named.map(({ what }) => what)}::text[], ${named.map(({ table }) => table)}::text[]) as g (what, relname)
        -- a partition counts for its table
        on g.relname = coalesce((select inhparent::regclass::text from pg_inherits where inhrelid = c.oid), c.relname)
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      group by 1
    ),
    oldest (what, at) as (
      values ('runs', (select created_at from runs order by id limit 1)),
        ('events', (select created_at from event_batches order by id limit 1)),
        ('blobs', (select created_at from blobs order by created_at limit 1)),
        ('cases', (select created_at from cases order by id limit 1)),
        ('audit', (select created_at from audit_log order by id limit 1)),
        ('deliveries', least((select created_at from deliveries order by id limit 1),
          (select created_at from delivery_batches order by batch_id limit 1))),
        ('replies', (select expires_at - interval '24 hours' from idempotency_keys order by expires_at limit 1))
    )
    select s.what, s.bytes, s.rows, o.at as oldest from sizes s left join oldest o using (what) order by s.bytes desc, s.what`
}

/** A scrape measures again when the last measurement is older than this. */
const measureEveryMs = 60_000

/** Exposes the same numbers to Prometheus. While the database is away the gauges keep their last values. */
export function exposeGrowth(registry: Registry, db: Database, log: Log): void {
  let measuredAt = -Infinity
  let measuring: Promise<void> | undefined
  async function measure(): Promise<void> {
    try {
      for (const { what, bytes: size, rows: count, oldest } of await readGrowth(db.sql)) {
        bytes.set({ what }, size)
        rows.set({ what }, count)
        if (oldest) age.set({ what }, Math.max(0, Date.now() - oldest.getTime()) / 1000)
      }
    } catch (error) {
      log.warn({ err: error }, 'the growth of the database could not be measured; will retry in a minute')
    }
    measuredAt = performance.now()
  }
  // all three gauges wait for one measurement, whichever is asked first
  async function collect(): Promise<void> {
    if (performance.now() - measuredAt < measureEveryMs || !db.watch.isPresent()) return
    await (measuring ??= measure().finally(() => (measuring = undefined)))
  }
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['what'], registers: [registry], collect })
  const bytes = gauge('runyard_stored_bytes', 'Bytes of tables with their indexes, by what they keep.')
  const rows = gauge('runyard_stored_rows', 'Rows of the same tables, as PostgreSQL last estimated them.')
  const age = gauge('runyard_stored_oldest_age_seconds', 'Age of the oldest of them.')
}
