// Opens and closes the palette from anywhere.
import { useSyncExternalStore } from 'react'
import { useKeys } from './keys.ts'

let isOpen = false
const listeners = new Set<() => void>()

function set(value: boolean): void {
  isOpen = value
  for (const listener of listeners) listener()
}

export const openPalette = (): void => set(true)
export const closePalette = (): void => set(false)

const useOpen = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )

/** Whether it is open; its keys work where this is used. */
export function usePaletteKeys(): boolean {
  useKeys([{ keys: 'mod+k', says: 'Find or do', where: 'Everywhere', whileTyping: true, run: () => set(!isOpen) }])
  return useOpen()
}
