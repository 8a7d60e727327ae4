// The foot of the list: which rows these are, the keys, the size of a page, and the pages before and after.
import { Link } from '@tanstack/react-router'
import { Icon } from '../../look/Icon.tsx'
import { count } from '../../parts/amounts.ts'
import { keyCaps, useRegisteredKeys } from '../../app/keys.ts'
import style from './FootBar.module.css'
import { sizes, type RunsSearch } from './search.ts'

const shownKeys = [
  { keys: ['j', 'k'], says: 'move' },
  { keys: ['Enter'], says: 'open' },
  { keys: ['x'], says: 'select' },
  { keys: ['s'], says: 'stop' },
  { keys: ['?'], says: 'all keys' },
]

interface FootBarProps {
  page: number
  size: number
  shown: number
  total: number
  onSize: (size: RunsSearch['size']) => void
}

export function FootBar({ page, size, shown, total, onSize }: FootBarProps) {
  const from = (page - 1) * size
  const known = useRegisteredKeys()
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
      <label className={style.size}>
        <span>Rows</span>
        <select value={size} onChange={(event) => onSize(sizes.find((one) => one === Number(event.target.value)))}>
          {sizes.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <PageLink to={page > 1 ? page - 1 : undefined} label="Previous page" icon="left" />
      <PageLink to={from + shown < total ? page + 1 : undefined} label="Next page" icon="right" />
    </footer>
  )
}

function PageLink({ to, label, icon }: { to: number | undefined; label: string; icon: 'left' | 'right' }) {
  if (to === undefined)
    return (
      <span className={style.off} role="img" aria-label={`No ${label.toLowerCase()}`}>
        <Icon name={icon} />
      </span>
    )
  return (
    <Link
      from="/runs"
      to="/runs"
      className={style.page}
      aria-label={label}
      search={(before) => ({ ...before, page: to === 1 ? undefined : to })}
    >
      <Icon name={icon} />
    </Link>
  )
}
