// Drills in words: what state one is in, how far it is, and what was not as it must be.
import type { Drill } from '@runyard/sdk'
import type { Shape } from '../../look/StatusShape.tsx'

export const isUnderWay = ({ ended_at }: Pick<Drill, 'ended_at'>): boolean => ended_at === null

export const stateWords: Record<Drill['state'], string> = {
  requested: 'Waits for a worker',
  running: 'Under way',
  held: 'All zeros',
  failed: 'Found something',
  stopped: 'Stopped',
  broken_off: 'Broken off',
}

export const stateShapes: Record<Drill['state'], Shape> = {
  requested: 'pending',
  running: 'running',
  held: 'done',
  failed: 'failed',
  stopped: 'stopped',
  broken_off: 'failed',
}

const phases = {
  preparing: 'Starting workers',
  killing: 'Killing workers',
  settling: 'Waiting for what is under way',
  erasing: 'Erasing the scratch team',
}

/** What it does now. */
export function phaseWords({
  state,
  progress,
  stop_asked_at,
}: Pick<Drill, 'state' | 'progress' | 'stop_asked_at'>): string {
  if (stop_asked_at !== null) return 'Stopping, and erasing the scratch team'
  if (state === 'requested') return 'Waiting for a worker to take it'
  return phases[progress?.phase ?? 'preparing']
}

/** One number of a field, or what is wrong with it. */
export function readCount(given: string, { min, max }: { min: number; max: number }): number | string {
  const count = /^\d{1,6}$/.test(given.trim()) ? Number(given) : NaN
  return count >= min && count <= max ? count : `A whole number from ${min} to ${max}.`
}

/** What must be zero, with its number, in the order of the table that the command line prints. */
export const mustBeZero = (result: NonNullable<Drill['result']>): { what: string; count: number }[] => [
  { what: 'Runs lost', count: result.runs_lost },
  { what: 'Finished calls repeated', count: result.finished_calls_repeated },
  { what: 'Calls doubled against their rule', count: result.calls_doubled },
  { what: 'Calls with a result that never came', count: result.calls_missing },
  { what: 'Deliveries lost', count: result.deliveries_lost },
  { what: 'Deliveries repeated with other bytes', count: result.deliveries_changed },
  { what: 'Memory writes missing', count: result.memory_missing },
  { what: 'Records of runs broken', count: result.records_broken },
  { what: 'Rows not erased', count: result.rows_left },
]
