// Things with their amounts as bars, the largest first. A bar leads to what is behind it.
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import { Icon } from '../look/Icon.tsx'
import style from './BarList.module.css'
import { visible } from './visibleText.ts'

export interface BarRow {
  key: string
  name: string
  /** Beside the name. */
  mark?: ReactNode
  value: number
  /** The value as it is written: `0.38 USD`. */
  says: string
  /** A small line below the value. */
  detail?: string | undefined
  /** What is behind it. */
  link?: LinkProps | undefined
  /** What it consists of: the row unfolds and leads nowhere. */
  parts?: BarRow[] | undefined
  isBad?: boolean
}

interface BarListProps {
  rows: BarRow[]
  label: string
  /** The value of a full bar; the largest one unless given. */
  most?: number
  /** The key of the row that is unfolded. */
  unfolded?: string | undefined
  onUnfold?: (key: string) => void
}

export function BarList({ rows, label, most, unfolded, onUnfold }: BarListProps) {
  const highest = most ?? Math.max(...rows.map(({ value }) => value), Number.MIN_VALUE)
  return (
    <ul className={style.list} aria-label={label}>
      {rows.map((row) => {
        const isOpen = row.key === unfolded
        return (
          <li key={row.key}>
            <Row row={row} share={row.value / highest} isOpen={isOpen} onUnfold={onUnfold} />
            {isOpen && row.parts && (
              <div className={style.inner}>
                <BarList rows={row.parts} label={`Parts of ${row.name}`} />
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

interface RowProps {
  row: BarRow
  share: number
  isOpen: boolean
  onUnfold: ((key: string) => void) | undefined
}

function Row({ row, share, isOpen, onUnfold }: RowProps) {
  const { key, name, mark, says, detail, link, parts, isBad } = row
  const inside = (
    <>
      <span className={style.name}>
        {parts && <Icon name={isOpen ? 'down' : 'right'} size={14} />}
        <span title={visible(name)}>{visible(name)}</span>
        {mark}
      </span>
      <span className={style.track} aria-hidden>
        {share > 0 && <i className={classes(isBad && style.bad)} style={{ width: `${share * 100}%` }} />}
      </span>
      <span className={style.value}>
        {says}
        {detail !== undefined && <span className={style.detail}>{detail}</span>}
      </span>
    </>
  )
  if (parts && onUnfold)
    return (
      <button type="button" className={style.row} aria-expanded={isOpen} onClick={() => onUnfold(key)}>
        {inside}
      </button>
    )
  if (link)
    return (
      <Link {...link} className={style.row}>
        {inside}
      </Link>
    )
  return <div className={style.row}>{inside}</div>
}
