// Whether the page is as narrow as a phone: then it has one column that scrolls as a whole.
import { useSyncExternalStore } from 'react'

const narrow = window.matchMedia('(max-width: 900px)')
const phone = window.matchMedia('(max-width: 640px)')

const listenTo = (media: MediaQueryList) => (listener: () => void) => {
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}

/** One column. */
export const useNarrow = (): boolean => useSyncExternalStore(listenTo(narrow), () => narrow.matches)
/** Rows are as high as a finger needs them. */
export const usePhone = (): boolean => useSyncExternalStore(listenTo(phone), () => phone.matches)
