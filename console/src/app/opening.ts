// Opens and closes the palette from anywhere. What is typed before its code is loaded is kept for it.
import { useSyncExternalStore } from 'react'
import { collectKeys, type EarlyKeys } from './earlyKeys.ts'
import { useKeys } from './keys.ts'

let isOpen = false
let early: EarlyKeys | undefined
const listeners = new Set<() => void>()

function set(value: boolean): void {
  isOpen = value
  early?.stop()
  early = value ? collectKeys(window, closePalette) : undefined
  for (const listener of listeners) listener()
}

export const openPalette = (): void => set(true)
export const closePalette = (): void => set(false)

/** Called when the field has the focus: from here on it gets the keys itself. */
export function takeEarlyKeys(): EarlyKeys | undefined {
  const taken = early
  taken?.stop()
  early = undefined
  return taken
}

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
