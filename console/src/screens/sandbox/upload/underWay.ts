// How far the files are that this tab is sending now.
import { useSyncExternalStore } from 'react'

export interface Sending {
  sandbox: string
  path: string
  sent: number
  total: number
}

let sending: Sending[] = []
const listeners = new Set<() => void>()

function change(next: Sending[]): void {
  sending = next
  for (const listener of listeners) listener()
}

const isSame = (one: Pick<Sending, 'sandbox' | 'path'>, other: Pick<Sending, 'sandbox' | 'path'>): boolean =>
  one.sandbox === other.sandbox && one.path === other.path

export function noteProgress(now: Sending): void {
  change(
    sending.some((one) => isSame(one, now)) ? sending.map((one) => (isSame(one, now) ? now : one)) : [...sending, now],
  )
}

export const noteEnd = (of: Pick<Sending, 'sandbox' | 'path'>): void =>
  change(sending.filter((one) => !isSame(one, of)))

/** The uploads to all sandboxes, in the order in which they began. */
export const useSending = (): Sending[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => sending,
  )
