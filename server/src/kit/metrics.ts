// Prometheus metrics of the process, served at /metrics.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createDeliveryMetrics, type DeliveryMetrics } from './deliveryMetrics.ts'
import { createRunMetrics, type RunMetrics } from './runMetrics.ts'

export interface Metrics {
  registry: Registry
  requestSeconds: Histogram<'operation' | 'status'>
  jobSeconds: Histogram<'job' | 'outcome'>
  openStreams: Gauge<'operation'>
  takeovers: Counter
  notificationsHeard: Counter<'channel'>
  databasePresent: Gauge
  databaseRoundTrip: Gauge
  objectStorePresent: Gauge
  runs: RunMetrics
  deliveries: DeliveryMetrics
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  // the default precision of 10 ms wakes an idle process a hundred times a second
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]
  const objectStorePresent = new Gauge({
    name: 'runyard_object_store_present',
    help: '1 if the object store answered when it was last asked, 0 if not; nothing before the first time.',
    registers: [registry],
  })
  // a gauge begins at 0, which would be a store that does not answer
  objectStorePresent.remove()
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'runyard_request_duration_seconds',
      help: 'Time from a request to its answer, by operation and status.',
      labelNames: ['operation', 'status'],
      buckets,
      registers: [registry],
    }),
    jobSeconds: new Histogram({
      name: 'runyard_job_duration_seconds',
      help: 'Time a job took, by name and outcome.',
      labelNames: ['job', 'outcome'],
      buckets,
      registers: [registry],
    }),
    openStreams: new Gauge({
      name: 'runyard_open_streams',
      help: 'Streams of events that readers hold open, by operation.',
      labelNames: ['operation'],
      registers: [registry],
    }),
    takeovers: new Counter({
      name: 'runyard_worker_takeovers_total',
      help: 'Dead worker processes whose work this process set free.',
      registers: [registry],
    }),
    notificationsHeard: new Counter({
      name: 'runyard_notifications_heard_total',
      help: 'Notifications of other processes that this process heard, by channel.',
      labelNames: ['channel'],
      registers: [registry],
    }),
    databasePresent: new Gauge({
      name: 'runyard_database_present',
      help: '1 while the database answers.',
      registers: [registry],
    }),
    databaseRoundTrip: new Gauge({
      name: 'runyard_database_round_trip_seconds',
      help: 'The fastest answer of the database in the last ten seconds: how far away it is. Nothing while it is away.',
      registers: [registry],
    }),
    objectStorePresent,
    runs: createRunMetrics(registry),
    deliveries: createDeliveryMetrics(registry),
  }
}
