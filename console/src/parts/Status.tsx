// The status of a run: its shape and its word.
import type { Run } from '@runyard/sdk'
import { StatusShape, type Shape } from '../look/StatusShape.tsx'
import { classes } from '../look/classes.ts'
import style from './Status.module.css'

export type RunStatus = Run['status']

type Known = Pick<Run, 'status'> & { waiting_on?: Pick<NonNullable<Run['waiting_on']>, 'kind'> | null }

export function shapeOf({ status, waiting_on }: Known): Shape {
  if (status === 'waiting') return waiting_on?.kind === 'human' ? 'human' : 'wait'
  return status === 'completed' ? 'done' : status
}

const words: Record<RunStatus, string> = {
  pending: 'Pending',
  running: 'Running',
  waiting: 'Waiting',
  completed: 'Completed',
  failed: 'Failed',
  stopped: 'Stopped',
}

export const statusWord = (status: RunStatus): string => words[status]

export const isEnded = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'stopped'

export function Status({ run }: { run: Known }) {
  const shape = shapeOf(run)
  return (
    <span className={classes(style.status, style[shape])}>
      <StatusShape shape={shape} />
      {words[run.status]}
    </span>
  )
}

/** The same as the first thing in a header. */
export function StatusPill({ run }: { run: Known }) {
  const shape = shapeOf(run)
  return (
    <span className={classes(style.pill, style[`${shape}Pill`])}>
      <StatusShape shape={shape} />
      {shape === 'human' ? 'Waiting for a person' : words[run.status]}
    </span>
  )
}
