// The bar above a screen: where one is, whether the page is live, the palette, and the actions of the screen.
import type { ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import { Icon } from '../look/Icon.tsx'
import style from './Bar.module.css'
import { keyCaps } from './keys.ts'
import { LiveMark } from './LiveMark.tsx'
import { openPalette } from './opening.ts'

interface BarProps {
  /** Text, or links that lead back with `Crumbs`. */
  title: ReactNode
  /** Stand beside it. */
  tabs?: ReactNode
  /** Much else stands in the bar: the palette has only its sign, and in little room the tabs have a row of their own. */
  isCrowded?: boolean
  children?: ReactNode
}

export function Bar({ title, tabs, isCrowded = false, children }: BarProps) {
  return (
    <header className={classes(style.bar, isCrowded && style.crowded)}>
      {typeof title === 'string' ? <h1 className={style.title}>{title}</h1> : title}
      {tabs && <div className={style.tabs}>{tabs}</div>}
      <span className={style.gap} />
      <LiveMark />
      <button type="button" className={classes(style.find, isCrowded && style.small)} onClick={openPalette}>
        <Icon name="search" size={14} />
        <span>Find or do</span>
        {keyCaps('mod+k').map((cap) => (
          <kbd key={cap} aria-hidden>
            {cap}
          </kbd>
        ))}
      </button>
      {children}
    </header>
  )
}

/** `Runs › 4182`: the last one is where one is. */
export function Crumbs({ back, here }: { back: ReactNode; here: ReactNode }) {
  return (
    <nav className={style.crumbs} aria-label="Where">
      {back}
      <Icon name="right" size={14} />
      <span className={style.here}>{here}</span>
    </nav>
  )
}
