// The foot of a list in pages: which rows are shown, and links to the page before and the next one.
import { Link, type LinkProps } from '@tanstack/react-router'
import { Icon } from '../look/Icon.tsx'
import { count } from './amounts.ts'
import { shownTotal } from './shownTotal.ts'
import style from './PageFoot.module.css'

interface PageFootProps {
  /** The first is 0. */
  page: number
  size: number
  /** How many rows this page has. */
  shown: number
  total: number
  linkTo: (page: number) => LinkProps
}

export function PageFoot({ page, size, shown, total, linkTo }: PageFootProps) {
  const from = page * size
  return (
    <footer className={style.foot}>
      <span>
        {shown === 0 ? 'None' : `${count(from + 1)}–${count(from + shown)}`} of {shownTotal(total, page, size)}
      </span>
      <PageLink link={page > 0 ? linkTo(page - 1) : undefined} label="Page before" icon="left" />
      <PageLink link={from + shown < total ? linkTo(page + 1) : undefined} label="Next page" icon="right" />
    </footer>
  )
}

function PageLink({ link, label, icon }: { link: LinkProps | undefined; label: string; icon: 'left' | 'right' }) {
  if (!link)
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
