// A small word on a ground, beside a name.
import type { ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import style from './Tag.module.css'

export function Tag({
  tone,
  title,
  children,
}: {
  tone?: 'live' | 'wait' | 'fail' | 'pass'
  title?: string
  children: ReactNode
}) {
  return (
    <span className={classes(style.tag, tone && style[tone])} title={title}>
      {children}
    </span>
  )
}
