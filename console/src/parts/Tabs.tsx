// Tabs that are links: the open one is in the address.
import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'
import { count as counted } from './amounts.ts'
import style from './Tabs.module.css'

export interface Tab {
  label: ReactNode
  count?: number | undefined
  isOpen: boolean
  link: LinkProps
}

export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  const row = useRef<HTMLElement>(null)
  const shown = tabs.map(({ isOpen, count }) => `${isOpen} ${count}`).join()
  // on a phone the open one may lie beyond the edge; only the row is moved, never the page
  useEffect(() => {
    const open = row.current?.querySelector('[aria-current]')
    if (!row.current || !open) return
    const beyond = open.getBoundingClientRect().right - row.current.getBoundingClientRect().right
    if (beyond > 0) row.current.scrollLeft += beyond
  }, [shown])
  return (
    <nav ref={row} className={style.tabs} aria-label={label}>
      {tabs.map(({ label: text, count, isOpen, link }, at) => (
        <Link
          key={at}
          {...link}
          activeOptions={{ exact: true }}
          activeProps={{}}
          aria-current={isOpen ? 'page' : undefined}
        >
          {text}
          {count !== undefined && <span className={style.count}>{counted(count)}</span>}
        </Link>
      ))}
    </nav>
  )
}
