// The keys of a list whose rows are links: j and k move from row to row, Enter opens as it does every link.
import { useRef, type RefObject } from 'react'
import { useKeys } from '../app/keys.ts'

interface Words {
  /** The heading in the list of keys. */
  where: string
  next: string
  before: string
}

/** The link of each row has `data-row`. */
export function useRowKeys({ where, next, before }: Words): RefObject<HTMLTableSectionElement | null> {
  const body = useRef<HTMLTableSectionElement>(null)
  /** Where to continue after the focus was elsewhere. */
  const last = useRef(-1)
  function move(step: number) {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const now = links.findIndex((link) => link === document.activeElement)
    const to = Math.min(links.length - 1, Math.max(0, (now < 0 ? last.current : now) + step))
    last.current = to
    links[to]?.focus({ preventScroll: true })
    links[to]?.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }
  useKeys([
    { keys: 'j', says: next, where, run: () => move(1) },
    { keys: 'k', says: before, where, run: () => move(-1) },
  ])
  return body
}
