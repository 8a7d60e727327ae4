// How long each stage of an attempt took: a bar, and the same in words.
import type { DeliveryAttempt } from '@runyard/sdk'
import { classes } from '../../look/classes.ts'
import { duration } from '../../parts/amounts.ts'
import { stagesOf } from './stages.ts'
import style from './TimingBar.module.css'

type Timing = NonNullable<DeliveryAttempt['timing']>

export function TimingBar({ timing, failedAt }: { timing: Timing; failedAt?: DeliveryAttempt['stage'] | undefined }) {
  const stages = stagesOf(timing, failedAt ?? null)
  if (stages.length === 0) return null
  return (
    <div className={style.timing}>
      <div className={style.bar} aria-hidden>
        {stages.map(({ name, ms, isFailed }) => (
          <i
            key={name}
            className={classes(style[name], isFailed && style.failed)}
            style={{ flexGrow: Math.max(ms, 0.5) }}
          />
        ))}
      </div>
      <ul className={style.words} aria-label="Time of each stage">
        {stages.map(({ name, says, ms, isFailed }) => (
          <li key={name}>
            <i className={classes(style.dot, style[name], isFailed && style.failed)} aria-hidden />
            {says} {duration(ms)}
            {isFailed && ', failed here'}
          </li>
        ))}
      </ul>
    </div>
  )
}
