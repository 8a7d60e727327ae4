// One state of a part, with its name.
import type { ReactNode } from 'react'
import style from './PartsScreen.module.css'

export function Sample({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={style.sample}>
      <p className="caption">{name}</p>
      <div>{children}</div>
    </div>
  )
}

export const Row = ({ children }: { children: ReactNode }) => <div className={style.row}>{children}</div>
