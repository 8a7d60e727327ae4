// Short messages at the edge of the page: what was done, with a way to undo it, and what failed. What draws them comes with the first one.
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { messageOf, requestIdOf } from '../app/client.ts'

export interface Message {
  id: number
  title: string
  isFailed: boolean
  says?: string
  undo?: () => void
  requestId?: string | undefined
}

let messages: Message[] = []
let given = 0
const listeners = new Set<() => void>()

function set(next: Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

const add = (message: Omit<Message, 'id'>): void => set([...messages, { ...message, id: (given += 1) }])

/** Says what was done. With `undo` it can be taken back while the toast is there. */
export function toast(title: string, undo?: () => void): void {
  add({ title, isFailed: false, ...(undo && { undo }) })
}

/** Says what failed, in the words of the service. */
export function toastError(title: string, error: unknown): void {
  add({ title, isFailed: true, says: messageOf(error), requestId: requestIdOf(error) })
}

/** Takes away those that are shown by now. */
export const taken = (upTo: number): void => set(messages.filter(({ id }) => id > upTo))

/** Messages that wait to be shown. */
export const useMessages = (): Message[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => messages,
  )

const ToastList = lazy(() => import('./ToastList.tsx'))

export function Toasts() {
  useMessages()
  return <Suspense>{given > 0 && <ToastList />}</Suspense>
}
