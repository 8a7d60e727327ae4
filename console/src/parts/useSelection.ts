// Which rows of a list are selected: of any page of it, until the filter changes.
import { useCallback, useEffect, useRef, useState } from 'react'

export interface Selection {
  ids: ReadonlySet<string>
  /** With `isRange` all between this one and the one before it follow. */
  toggle: (id: string, isSelected: boolean, isRange: boolean) => void
  setAll: (ids: string[], isSelected: boolean) => void
  clear: () => void
}

interface State {
  key: string
  ids: ReadonlySet<string>
  last: string | undefined
}

const nothing = (key: string): State => ({ key, ids: new Set(), last: undefined })

function changed(state: State, ids: string[], isSelected: boolean, last?: string): State {
  const next = new Set(state.ids)
  for (const id of ids) {
    if (isSelected) next.add(id)
    else next.delete(id)
  }
  return { ...state, ids: next, last }
}

/** `shown` are the ids of the page in their order; `key` names the filter. */
export function useSelection(key: string, shown: string[]): Selection {
  const [state, setState] = useState(() => nothing(key))
  if (state.key !== key) setState(nothing(key))
  const page = useRef(shown)
  useEffect(() => {
    page.current = shown
  })
  // the same function each time, so that a row is drawn again only when it has changed
  const toggle = useCallback(
    (id: string, isSelected: boolean, isRange: boolean) =>
      setState((before) => {
        const [from, to] = [page.current.indexOf(before.last ?? id), page.current.indexOf(id)]
        const range = isRange && from >= 0 ? page.current.slice(Math.min(from, to), Math.max(from, to) + 1) : [id]
        return changed(before, range, isSelected, id)
      }),
    [],
  )
  return {
    ids: state.ids,
    toggle,
    setAll: (ids, isSelected) => setState((before) => changed(before, ids, isSelected)),
    clear: () => setState(nothing(key)),
  }
}
