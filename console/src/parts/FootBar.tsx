// The foot of a list: which rows these are, the keys, the size of a page, and the pages before and after.
import { Link, type LinkProps } from '@tanstack/react-router'
import { Icon } from '../look/Icon.tsx'
import { keyCaps, useRegisteredKeys } from '../app/keys.ts'
import { count } from './amounts.ts'
import style from './FootBar.module.css'
import { pageSizes, type PageSize } from './pageSizes.ts'

interface FootBarProps {
  page: number
  size: number
  shown: number
  total: number
  keys: { keys: string[]; says: string }[]
  /** Without it, all pages have one size. */
  onSize?: (size: PageSize | undefined) => void
  /** The address of another page of the list. */
  linkTo: (page: number) => LinkProps
}

export function FootBar({ page, size, shown, total, keys: shownKeys, onSize, linkTo }: FootBarProps) {
  const from = (page - 1) * size
  const known = useRegisteredKeys()
  const pageLink = (to: number | undefined) => (to === undefined ? undefined : linkTo(to))
  return (
    <footer className={style.foot}>
      <span>
        {shown === 0 ? '0' : `${count(from + 1)}–${count(from + shown)}`} of {count(total)}
      </span>
      {shownKeys
        .filter(({ keys }) => keys.every((key) => key === 'Enter' || known.some((one) => one.keys === key)))
        .map(({ keys, says }) => (
          <span key={says} className={style.keys}>
            {keys.flatMap(keyCaps).map((cap) => (
              <kbd key={cap}>{cap}</kbd>
            ))}
            {says}
          </span>
        ))}
      <span className={style.gap} />
      {onSize && (
        <label className={style.size}>
          <span>Rows</span>
          <select
            value={size}
            onChange={(event) => onSize(pageSizes.find((one) => one === Number(event.target.value)))}
          >
            {pageSizes.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      )}
      <PageLink link={pageLink(page > 1 ? page - 1 : undefined)} label="Previous page" icon="left" />
      <PageLink link={pageLink(from + shown < total ? page + 1 : undefined)} label="Next page" icon="right" />
    </footer>
  )
}

function PageLink({ link, label, icon }: { link: LinkProps | undefined; label: string; icon: 'left' | 'right' }) {
  if (link === undefined)
    return (
      <span className={style.off} role="img" aria-label={`No ${label.toLowerCase()}`}>
        <Icon name={icon} />
      </span>
    )
  return (
    <Link {...link} className={style.page} aria-label={label}>
      <Icon name={icon} />
    </Link>
  )
}
