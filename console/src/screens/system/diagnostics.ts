// The state of the installation as a text for a ticket or a chat: no secret is in it, since none is in the answer.
import type { GetSystemAnswer, ProcessReport } from '@runyard/sdk'
import { bytes, count, duration } from '../../parts/amounts.ts'
import { nameOfProcess, troublesOf } from './health.ts'

export function diagnosticsOf(system: GetSystemAnswer, userAgent: string): string {
  const { version, node_version, now, database, object_store, processes, waiting_work, sizes, settings } = system
  const at = Date.parse(now)
  const troubles = troublesOf(system)
  return [
    `# Runyard ${version}, ${now}`,
    '',
    `Node ${node_version}, PostgreSQL ${database.version} (${database.is_embedded ? 'embedded' : 'own'}), ` +
      `${bytes(database.bytes)}, ${database.connections} of ${database.connections_max} connections`,
    ...(object_store ? [storeWords(object_store)] : []),
    `Browser: ${userAgent}`,
    '',
    '## What needs a look',
    ...(troubles.length === 0 ? ['nothing'] : troubles.map((one) => `- ${one}`)),
    '',
    '## Waiting work',
    ...waiting_work.map(
      ({ what, since }) =>
        `- ${what}: ${since === null ? 'none is due' : `due for ${duration(at - Date.parse(since))}`}`,
    ),
    '',
    '## Processes',
    ...processes.flatMap((one) => [
      `### ${nameOfProcess(one)}, since ${one.started_at}, reported ${one.reported_at ?? 'never'}`,
      ...(one.report
        ? [
            `${bytes(one.report.memory_bytes)} of memory, ${one.report.cpu_percent} % of a core${placeOf(one.report)}`,
            ...one.report.loops.map(
              (loop) =>
                `- loop ${loop.name}: ${count(loop.turns)} turns, ${count(loop.failures)} failed, ${loop.late_ms} ms late, took ${loop.took_ms} ms` +
                (loop.under_way_ms === null ? '' : `, under way for ${loop.under_way_ms} ms`),
            ),
            ...one.report.lanes.map(
              (lane) =>
                `- lane ${lane.name}: ${count(lane.operations)} writes in ${count(lane.commits)} commits of ${lane.mean_ms} ms, ${count(lane.waiting)} wait`,
            ),
            ...one.report.pools.map(
              (pool) => `- pool ${pool.name}: ${pool.taken} of ${pool.size}, ${pool.waiting} wait`,
            ),
          ]
        : []),
    ]),
    '',
    '## Sizes',
    ...sizes.map(
      (one) =>
        `- ${one.what}: ${bytes(one.bytes)}, about ${count(one.rows)} rows, ${growthWords(one, at) ?? 'growth not measured yet'}`,
    ),
    '',
    '## Settings that are set',
    ...settings
      .filter(({ is_set }) => is_set)
      .map(({ name, is_secret, value }) => `- ${name}=${is_secret ? '(secret)' : (value ?? '')}`),
    '',
  ].join('\n')
}

function storeWords({ name, is_answering, answered_at, last_failure }: ObjectStore): string {
  const state = is_answering === null ? 'not asked yet' : is_answering ? 'answers' : 'does not answer'
  const failed = last_failure ? `; failed at ${last_failure.at}: ${last_failure.says}` : ''
  return `Object store ${name}: ${state}, answered ${answered_at ?? 'never'}${failed}`
}

type ObjectStore = NonNullable<GetSystemAnswer['object_store']>

/** `, zone b, 0.7 ms to the database in zone a`, as far as it is known. */
function placeOf({ zone, database }: ProcessReport): string {
  const way = typeof database?.round_trip_ms === 'number' ? `, ${database.round_trip_ms} ms to the database` : ''
  return `${zone ? `, zone ${zone}` : ''}${way}${database?.zone ? ` in zone ${database.zone}` : ''}`
}

const signed = (size: number): string => `${size < 0 ? '−' : '+'}${bytes(Math.abs(size))}`

type Grown = Pick<GetSystemAnswer['sizes'][number], 'bytes_a_day' | 'grown_bytes' | 'measured_at'>

/** `+12.0 MB a day`, or `+80 KB in 40 min` before a day has passed; undefined: it was measured only now. */
export function growthWords({ bytes_a_day, grown_bytes, measured_at }: Grown, now: number): string | undefined {
  if (bytes_a_day !== null) return `${signed(bytes_a_day)} a day`
  if (grown_bytes === null || measured_at === null) return undefined
  return `${signed(grown_bytes)} in ${duration(Math.max(0, now - Date.parse(measured_at)))}`
}
