// How much of a limit is used: a bar with both numbers.
import { bytes, count } from '../../parts/amounts.ts'
import { Meter } from '../../parts/Meter.tsx'
import style from './Quota.module.css'

interface QuotaProps {
  /** What uses it: `All sandboxes`. */
  what: string
  used: number
  /** Undefined while nobody knows it. */
  most: number | undefined
  unit: 'bytes' | 'files'
  /** Without the limit, which is the same in every row. */
  isBrief?: boolean
}

export function Quota({ what, used, most, unit, isBrief = false }: QuotaProps) {
  const words = (value: number) => (unit === 'bytes' ? bytes(value) : count(value))
  const says = most === undefined ? words(used) : `${words(used)} of ${words(most)}`
  return (
    <span className={style.quota}>
      {!isBrief && <span className="dim small">{what}</span>}
      {most !== undefined && <Meter share={used / most} says={`${what}: ${says}`} width={isBrief ? 48 : 96} />}
      <span className={style.words}>{isBrief ? words(used) : says}</span>
    </span>
  )
}
