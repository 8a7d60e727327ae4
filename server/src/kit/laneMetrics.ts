// What /metrics reports about lanes: how many writes share a commit, how long it takes, and how many wait for the next one.
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { LaneWatch } from './lane.ts'

export const laneWaiting = 'runyard_lane_waiting'

/** Gives a lane what it reports to. */
export type LaneMetrics = (name: 'start' | 'apply') => LaneWatch

export function createLaneMetrics(registry: Registry): LaneMetrics {
  const registers = [registry]
  const flushSize = new Histogram({
    name: 'runyard_lane_flush_operations',
    help: 'How many writes of runs shared one commit, by lane. Near the largest: the database sets the pace.',
    labelNames: ['lane'],
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  })
  const flushSeconds = new Histogram({
    name: 'runyard_lane_flush_duration_seconds',
    help: 'Time of one such commit, by lane.',
    labelNames: ['lane'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const waitingOf = new Map<string, () => number>()
  registry.registerMetric(
    new Gauge({
      name: laneWaiting,
      help: 'How many writes of runs wait for the next commit, by lane.',
      labelNames: ['lane'],
      registers: [],
      collect() {
        for (const [lane, waiting] of waitingOf) this.set({ lane }, waiting())
      },
    }),
  )
  return (lane) => {
    const size = flushSize.labels(lane)
    const time = flushSeconds.labels(lane)
    return {
      onFlush(operations, seconds) {
        size.observe(operations)
        time.observe(seconds)
      },
      onMade: (waiting) => void waitingOf.set(lane, waiting),
    }
  }
}
