// How a run moves from state to state, and the event that tells of each move. The trigger runs_moves holds the same table in the database.
import type { EventName } from '../../kit/event.ts'

export const statuses = ['pending', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const
export type Status = (typeof statuses)[number]

/** From → to. What is not here cannot happen. */
const moves: Record<Status, readonly Status[]> = {
  pending: ['running', 'failed', 'stopped'],
  running: ['waiting', 'completed', 'failed', 'stopped'],
  waiting: ['running', 'failed', 'stopped'],
  // only by a posted message, which starts an ended run again
  completed: ['pending'],
  failed: ['pending'],
  stopped: ['pending'],
}

export const mayMove = (from: Status, to: Status): boolean => moves[from].includes(to)

export const hasEnded = (status: Status): boolean =>
  status === 'completed' || status === 'failed' || status === 'stopped'

/** `running` is told once, when the run starts for the first time; a wait that ends is told by what ended it. */
export const eventOf = {
  running: 'run.started',
  waiting: 'run.paused',
  completed: 'run.completed',
  stopped: 'run.completed',
  failed: 'run.failed',
} as const satisfies Partial<Record<Status, EventName>>

export interface RunError {
  code: string
  message: string
  step: number | null
}
