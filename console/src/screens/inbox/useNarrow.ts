// Whether the window is too narrow for two columns: then the list and the open request take turns. As in the style sheets of the inbox.
import { useSyncExternalStore } from 'react'

const query = '(max-width: 900px)'

function listen(listener: () => void): () => void {
  const list = window.matchMedia(query)
  list.addEventListener('change', listener)
  return () => list.removeEventListener('change', listener)
}

export const useNarrow = (): boolean => useSyncExternalStore(listen, () => window.matchMedia(query).matches)
