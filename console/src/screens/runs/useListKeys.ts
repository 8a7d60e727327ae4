// The keys of the list: j and k move, Enter opens, x selects, s stops. They act on the row with the focus; s on the selected
// ones, if there are any.
import type { Run } from '@runyard/sdk'
import { useEffect, useRef, type RefObject } from 'react'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { isEnded } from '../../parts/Status.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { ShownRun } from './useRunList.ts'
import type { Selection } from '../../parts/useSelection.ts'

const where = 'Runs'

interface Keyed {
  table: RefObject<HTMLElement | null>
  rows: ShownRun[]
  selection: Selection
  onStop: (run: Run) => void
  onStopSelected: () => void
}

export function useListKeys({ table, rows, selection, onStop, onStopSelected }: Keyed): void {
  const { unable } = useSession()
  /** The run that had the focus last: where to continue after the focus was elsewhere. */
  const last = useRef<string>(undefined)

  useEffect(() => {
    const element = table.current
    const note = (event: FocusEvent) => {
      const id = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-run]')?.dataset['run'] : ''
      if (id) last.current = id
    }
    element?.addEventListener('focusin', note)
    return () => element?.removeEventListener('focusin', note)
  }, [table])

  const indexNow = () => rows.findIndex(({ run }) => run.id === last.current)
  function move(step: number) {
    const now = indexNow()
    const next = rows[now < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, now + step))]
    if (!next) return
    const link = table.current?.querySelector<HTMLElement>(`[data-run="${next.run.id}"] a`)
    link?.focus({ preventScroll: true })
    link?.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }

  function stop() {
    const cannot = unable('runs:write')
    if (selection.ids.size > 0 && cannot === undefined) return onStopSelected()
    const row = rows[indexNow()]
    if (!row) return
    const { status, run_number } = row.run
    const whyNot = cannot ?? (isEnded(status) ? `Run ${run_number} has ended already.` : undefined)
    if (whyNot === undefined) onStop(row.run)
    else toast(whyNot)
  }

  useKeys([
    { keys: 'j', says: 'Next run', where, run: () => move(1) },
    { keys: 'k', says: 'Run before', where, run: () => move(-1) },
    {
      keys: 'x',
      says: 'Select',
      where,
      run() {
        const row = rows[indexNow()]
        if (row) selection.toggle(row.run.id, !selection.ids.has(row.run.id), false)
      },
    },
    { keys: 's', says: 'Stop', where, run: stop },
  ])
}
