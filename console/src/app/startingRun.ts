// Opens the dialog that starts a run, from anywhere.
import type { ProcedureInputs } from '@runyard/sdk'
import { useSyncExternalStore } from 'react'

/** What the dialog begins with. */
export interface StartRunWish {
  agentId?: string
  /** A build of that agent; the live one unless given. */
  buildId?: string
  /** The message of another run, or a first one. */
  message?: unknown
  title?: string
  /** What that build reads of its message, where it is known already. */
  inputs?: ProcedureInputs | undefined
}

let wish: StartRunWish | undefined
const listeners = new Set<() => void>()

function set(value: StartRunWish | undefined): void {
  wish = value
  for (const listener of listeners) listener()
}

export const openStartRun = (wanted: StartRunWish): void => set(wanted)
export const closeStartRun = (): void => set(undefined)

/** Undefined: the dialog is closed. */
export const useStartRunWish = (): StartRunWish | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => wish,
  )
