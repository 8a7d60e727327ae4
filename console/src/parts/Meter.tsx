// How much of something is used, as a thin bar with words for screen readers.
import { classes } from '../look/classes.ts'
import style from './Meter.module.css'

/** `share` from 0 to 1. Undefined: it is under way, and nobody knows for how long. */
export function Meter({
  share,
  says,
  width = 48,
}: {
  share: number | undefined
  says: string
  width?: number | string
}) {
  const percent = share === undefined ? undefined : Math.round(Math.min(1, Math.max(0, share)) * 100)
  return (
    <span
      className={style.meter}
      role="meter"
      aria-label={says}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? 0}
      aria-valuetext={says}
      title={says}
      style={{ width }}
    >
      <i
        className={classes(percent === undefined && style.open, percent !== undefined && percent >= 90 && style.high)}
        style={{ width: `${percent ?? 36}%` }}
      />
    </span>
  )
}
