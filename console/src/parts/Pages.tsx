// Which page of a list is shown, and the way to the others. The page is in the address.
import { Link, type LinkProps } from '@tanstack/react-router'
import { Icon } from '../look/Icon.tsx'
import { count } from './amounts.ts'
import { shownTotal } from './shownTotal.ts'
import style from './Pages.module.css'

interface PagesProps {
  /** From 0 on. */
  page: number
  size: number
  total: number
  linkTo: (page: number) => LinkProps
}

export function Pages({ page, size, total, linkTo }: PagesProps) {
  const from = page * size
  return (
    <nav className={style.pages} aria-label="Pages">
      <span>
        {count(Math.min(total, from + 1))}–{count(Math.min(total, from + size))} of {shownTotal(total, page, size)}
      </span>
      <PageLink isThere={page > 0} label="Page before" icon="left" link={linkTo(page - 1)} />
      <PageLink isThere={from + size < total} label="Next page" icon="right" link={linkTo(page + 1)} />
    </nav>
  )
}

interface PageLinkProps {
  isThere: boolean
  label: string
  icon: 'left' | 'right'
  link: LinkProps
}

function PageLink({ isThere, label, icon, link }: PageLinkProps) {
  if (!isThere)
    return (
      <span className={style.noPage} aria-hidden>
        <Icon name={icon} />
      </span>
    )
  return (
    <Link {...link} className={style.page} aria-label={label}>
      <Icon name={icon} />
    </Link>
  )
}
