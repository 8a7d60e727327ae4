// A card: something separate, with its name above it.
import type { ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import style from './Card.module.css'

interface CardProps {
  title: string
  /** Facts beside the title. */
  facts?: ReactNode
  /** At the other end of its head. */
  aside?: ReactNode
  children: ReactNode
}

export function Card({ title, facts, aside, children }: CardProps) {
  return (
    <section className={classes('card', style.card)} aria-label={title}>
      <header className={style.head}>
        <h2>{title}</h2>
        {facts && <span className={style.facts}>{facts}</span>}
        {aside && <span className={style.aside}>{aside}</span>}
      </header>
      {children}
    </section>
  )
}
