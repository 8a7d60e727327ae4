// Tabs that are links: the open one is in the address.
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { count as counted } from './amounts.ts'
import style from './Tabs.module.css'

export interface Tab {
  label: ReactNode
  count?: number | undefined
  isOpen: boolean
  link: LinkProps
}

export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  return (
    <nav className={style.tabs} aria-label={label}>
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
