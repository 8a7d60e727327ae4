// What /metrics reports about runs: counted as it happens, never by a query.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { createLaneMetrics, type LaneMetrics } from './laneMetrics.ts'

export type ModelOutcome = 'answered' | 'trouble' | 'refused' | 'cut_off'

export interface RunMetrics {
  started: Counter<'source'>
  startDelaySeconds: Histogram
  ended: Counter<'status'>
  held: Gauge
  places: Gauge
  steps: Counter<'tool' | 'outcome'>
  modelSeconds: Histogram<'provider' | 'outcome'>
  modelTokens: Counter<'provider' | 'direction'>
  guardrailStops: Counter<'rule' | 'way'>
  lane: LaneMetrics
}

export function createRunMetrics(registry: Registry): RunMetrics {
  const registers = [registry]
  return {
    started: new Counter({
      name: 'runyard_runs_started_total',
      help: 'Runs that this process was the first to take up, by what started them.',
      labelNames: ['source'],
      registers,
    }),
    startDelaySeconds: new Histogram({
      name: 'runyard_run_start_delay_seconds',
      help: 'Time from the making of a run to its first work: long when places or workers are missing.',
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200],
      registers,
    }),
    ended: new Counter({
      name: 'runyard_runs_ended_total',
      help: 'Runs that ended, by status. One that a message started again ends again.',
      labelNames: ['status'],
      registers,
    }),
    held: new Gauge({
      name: 'runyard_runs_held',
      help: 'Runs that this process is advancing now; waiting ones are not among them.',
      registers,
    }),
    places: new Gauge({
      name: 'runyard_run_places',
      help: 'How many runs this process can advance at a time; 0 where it does not.',
      registers,
    }),
    steps: new Counter({
      name: 'runyard_run_steps_total',
      help: 'Tool calls of runs that have their result, by tool and outcome. The name of a tool that this server does not have counts as unknown.',
      labelNames: ['tool', 'outcome'],
      registers,
    }),
    modelSeconds: new Histogram({
      name: 'runyard_model_call_duration_seconds',
      help: 'Time of one call to a model, by provider and outcome.',
      labelNames: ['provider', 'outcome'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320],
      registers,
    }),
    modelTokens: new Counter({
      name: 'runyard_model_tokens_total',
      help: 'Tokens that models read and wrote, by provider.',
      labelNames: ['provider', 'direction'],
      registers,
    }),
    guardrailStops: new Counter({
      name: 'runyard_guardrail_stops_total',
      help: 'Calls and starts that guardrails of teams stopped, by rule and by what became of them: refused, asks, waits.',
      labelNames: ['rule', 'way'],
      registers,
    }),
    lane: createLaneMetrics(registry),
  }
}
