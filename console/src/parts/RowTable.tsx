// A table of things that one can do something with: the name first, the actions last. On a phone each row is a small card whose cells say what
// they are.
import type { ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import style from './RowTable.module.css'

interface RowTableProps {
  /** The names of the columns; the first column names the row. */
  heads: string[]
  /** Columns of numbers, by their names. */
  numbers?: string[]
  hasActions?: boolean
  children: ReactNode
}

export function RowTable({ heads, numbers, hasActions = true, children }: RowTableProps) {
  return (
    <div className={style.scroll}>
      <table className={style.table}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" className={classes(numbers?.includes(head) && style.number)}>
                {head}
              </th>
            ))}
            {hasActions && (
              <th scope="col" className={style.end}>
                <span className="forReaders">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

interface RowProps {
  actions?: ReactNode
  /** The actions are one menu: on a phone it stands beside the name. */
  isMenu?: boolean
  children: ReactNode
}

export function Row({ actions, isMenu, children }: RowProps) {
  return (
    <tr className={classes(isMenu && style.withMenu)}>
      {children}
      {actions !== undefined && <td className={style.end}>{actions}</td>}
    </tr>
  )
}

interface CellProps {
  /** The name of its column, which stands before it on a phone. Without it the cell needs none. */
  of?: string
  isNumber?: boolean
  isSmall?: boolean
  title?: string
  children: ReactNode
}

export function Cell({ of, isNumber, isSmall, title, children }: CellProps) {
  return (
    <td className={classes(isNumber && style.number, isSmall && 'small')} title={title} data-label={of}>
      {children}
    </td>
  )
}

/** What stands above such a table: what the rows are, and a way to add one. */
export function RowTableHead({ says, children }: { says: ReactNode; children?: ReactNode }) {
  return (
    <div className={style.head}>
      <p>{says}</p>
      {children}
    </div>
  )
}
