// The keys of a list of cases: j and k move from title to title, Enter opens, e claims, x selects.
import type { Case } from '@runyard/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, type RefObject } from 'react'
import { useKeys } from '../../app/keys.ts'
import type { useMoving } from '../../parts/case/useMoving.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Selection } from '../../parts/useSelection.ts'

const where = 'Cases'

interface Keyed {
  place: RefObject<HTMLElement | null>
  moving: ReturnType<typeof useMoving>
  /** Only a table has one. */
  selection?: Selection
}

export function useCaseKeys({ place, moving, selection }: Keyed): void {
  const queries = useQueryClient()
  const last = useRef(-1)
  const links = () => [...(place.current?.querySelectorAll<HTMLElement>('[data-case] a[href*="/cases/"]') ?? [])]
  const idNow = () =>
    document.activeElement?.closest<HTMLElement>('[data-case]')?.dataset['case'] ??
    links()[last.current]?.closest<HTMLElement>('[data-case]')?.dataset['case']
  function move(step: number) {
    const all = links()
    const now = all.findIndex((link) => link.closest('[data-case]')?.contains(document.activeElement) ?? false)
    const next = Math.min(all.length - 1, Math.max(0, (now < 0 ? last.current : now) + step))
    last.current = next
    all[next]?.focus({ preventScroll: true })
    all[next]?.closest('[data-case]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  function claim() {
    const id = idNow()
    if (id === undefined) return toast('Go to a case with J first')
    const item = known(id)
    if (item) moving.begin(item, 'in_progress')
  }
  /** The case as a list that was loaded has it. */
  function known(id: string): Case | undefined {
    const lists = queries.getQueriesData<{ cases?: Case[]; pages?: { cases: Case[] }[] }>({ queryKey: ['cases'] })
    return lists
      .flatMap(([, data]) => data?.cases ?? data?.pages?.flatMap(({ cases }) => cases) ?? [])
      .find((item) => item.id === id)
  }
  useKeys([
    { keys: 'j', says: 'Next case', where, run: () => move(1) },
    { keys: 'k', says: 'Case before', where, run: () => move(-1) },
    { keys: 'e', says: 'Claim', where, run: claim },
    ...(selection
      ? [
          {
            keys: 'x',
            says: 'Select',
            where,
            run() {
              const id = idNow()
              if (id !== undefined) selection.toggle(id, !selection.ids.has(id), false)
            },
          },
        ]
      : []),
  ])
}
