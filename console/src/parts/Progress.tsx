// How far long work is: a bar with the count, the pace and the time that is left, and a way to stop it.
import type { ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import { StatusShape, type Shape } from '../look/StatusShape.tsx'
import { count, duration } from './amounts.ts'
import style from './Progress.module.css'

interface ProgressProps {
  /** What is done: `Stopping runs`, or when it is over `40 runs stopped`. */
  title: string
  state: 'running' | 'stopped' | 'ended'
  done: number
  /** How many of the things could not be done. */
  failed?: number
  /** Undefined while nobody knows it. */
  total: number | undefined
  perSecond?: number | undefined
  leftMs?: number | undefined
  /** Why it does not move now. */
  waits?: string | undefined
  /** Buttons at its end: stop, continue, close. */
  children?: ReactNode
}

export function Progress({ title, state, done, failed = 0, total, perSecond, leftMs, waits, children }: ProgressProps) {
  const over = done + failed
  const share = total === undefined ? undefined : total === 0 ? 1 : Math.min(1, over / total)
  const says = total === undefined ? count(over) : `${count(over)} of ${count(total)}`
  return (
    <div className={style.progress}>
      <StatusShape shape={shapeOf(state, failed)} />
      <span className={style.title}>{title}</span>
      <span
        className={style.track}
        role="progressbar"
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={share === undefined ? undefined : over}
        aria-valuetext={says}
      >
        {share === undefined ? (
          <i className={classes(style.part, state === 'running' ? style.open : style.over)} />
        ) : (
          <>
            <i
              className={classes(style.part, state !== 'running' && style.over)}
              style={{ width: percent(done, total) }}
            />
            <i className={classes(style.part, style.broken)} style={{ width: percent(failed, total) }} />
          </>
        )}
      </span>
      <span className={style.facts}>
        {says}
        {failed > 0 && <span className={style.failed}>{count(failed)} failed</span>}
        {state === 'running' && waits === undefined && (
          <>
            {perSecond !== undefined && <span>{paceWords(perSecond)}</span>}
            {leftMs !== undefined && leftMs > 0 && <span>{leftWords(leftMs)} left</span>}
          </>
        )}
        {state === 'stopped' && <span>stopped</span>}
        {waits !== undefined && <span className={style.waits}>{waits}</span>}
      </span>
      <span className={style.acts}>{children}</span>
    </div>
  )
}

const percent = (part: number, total: number | undefined): string =>
  `${total === undefined || total === 0 ? 0 : Math.min(100, (part / total) * 100)}%`

/** Whole seconds: a guess has no tenths. */
const leftWords = (ms: number): string => (ms < 10_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : duration(ms))

function shapeOf(state: ProgressProps['state'], failed: number): Shape {
  if (state === 'running') return 'running'
  if (state === 'stopped') return 'stopped'
  return failed > 0 ? 'failed' : 'done'
}

/** `14 a second`, `40 a minute`. */
export const paceWords = (perSecond: number): string =>
  perSecond >= 1
    ? `${count(Math.round(perSecond))} a second`
    : `${count(Math.max(1, Math.round(perSecond * 60)))} a minute`
