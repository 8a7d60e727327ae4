// The keys of the list of agents: j and k move from name to name, Enter opens as it does every link.
import { useRef, type RefObject } from 'react'
import { useKeys } from '../../app/keys.ts'

interface Keyed {
  table: RefObject<HTMLTableElement | null>
  onNew: () => void
}

export function useRowKeys({ table, onNew }: Keyed): void {
  /** Where to continue after the focus was elsewhere. */
  const last = useRef(-1)
  function move(step: number) {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('tr[data-agent] > td:first-child a') ?? [])]
    const now = links.findIndex((link) => link === document.activeElement)
    const next = Math.min(links.length - 1, Math.max(0, (now < 0 ? last.current : now) + step))
    last.current = next
    links[next]?.focus({ preventScroll: true })
    links[next]?.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }
  useKeys([
    { keys: 'j', says: 'Next agent', where: 'Agents', run: () => move(1) },
    { keys: 'k', says: 'Agent before', where: 'Agents', run: () => move(-1) },
    { keys: 'c', says: 'New agent', where: 'Agents', run: onNew },
  ])
}
