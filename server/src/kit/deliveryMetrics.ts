// What /metrics reports about deliveries: how attempts end, and how long receivers take.
import { Histogram, type Registry } from 'prom-client'

export interface DeliveryMetrics {
  attempted(attempt: { ok: boolean; stage: string | null; latency_ms: number }): void
}

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const seconds = new Histogram({
    name: 'runyard_delivery_attempt_duration_seconds',
    help: 'Time of an attempt to deliver an event, by outcome: delivered, or the stage at which it failed.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  })
  return {
    attempted({ ok, stage, latency_ms }) {
      seconds.observe({ outcome: ok ? 'delivered' : (stage ?? 'unknown') }, latency_ms / 1000)
    },
  }
}
