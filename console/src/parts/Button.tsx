// Buttons and links that look like buttons. A button that cannot be pressed stays reachable and says why.
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import { Icon, type IconName } from '../look/Icon.tsx'
import style from './Button.module.css'
import { Tooltip } from './Tooltip.tsx'

/** `go`: the one filled button of a decision; `no`: takes something away; `quiet`: without an edge. */
export type ButtonKind = 'usual' | 'go' | 'no' | 'quiet'

interface Looks {
  kind?: ButtonKind
  icon?: IconName
  /** Keys that do the same. */
  keys?: string[]
  children?: ReactNode
}

type ButtonProps = Looks &
  Omit<ComponentProps<'button'>, 'disabled'> & {
    /** Why it cannot be pressed now, as a sentence. Undefined: it can. */
    unable?: string | undefined
    /** While its work is under way it cannot be pressed again. */
    isBusy?: boolean | undefined
  }

export function Button({ kind = 'usual', icon, keys, unable, isBusy, className, children, ...rest }: ButtonProps) {
  const isOff = unable !== undefined || isBusy === true
  const button = (
    <button
      type="button"
      {...rest}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      className={classes(style.button, style[kind], className)}
      onClick={isOff ? (event) => event.preventDefault() : rest.onClick}
    >
      <Inside icon={icon} keys={keys} isBusy={isBusy}>
        {children}
      </Inside>
    </button>
  )
  return unable === undefined ? button : <Tooltip says={unable}>{button}</Tooltip>
}

export function ButtonLink({ kind = 'usual', icon, keys, children, ...link }: Looks & LinkProps) {
  return (
    <Link {...link} className={classes(style.button, style[kind])}>
      <Inside icon={icon} keys={keys}>
        {children}
      </Inside>
    </Link>
  )
}

function Inside({
  icon,
  keys,
  isBusy,
  children,
}: Looks & { isBusy?: boolean | undefined; icon: IconName | undefined; keys: string[] | undefined }) {
  return (
    <>
      {isBusy ? <span className={style.spinner} aria-hidden /> : icon && <Icon name={icon} />}
      {children}
      {keys?.map((key) => (
        <kbd key={key} aria-hidden>
          {key}
        </kbd>
      ))}
    </>
  )
}
