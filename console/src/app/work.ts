// The long work of this browser: where it is kept, what it may try again, and what is old when it is over.
import { ApiError, ConnectionError, ConflictError, NotSignedInError, RateLimitError } from '@runyard/sdk'
import { useSyncExternalStore } from 'react'
import { toastError } from '../parts/toasts.tsx'
import { messageOf, noticeError, queryClient } from './client.ts'
import { LongWork, type WorkKind, type WorkOver } from './longWork.ts'
import { addToFile, dropFile, fileOf, saveFile } from './workFiles.ts'
import { workKinds, type WorkName } from './workKinds.ts'
import type { Work } from './workRecord.ts'
import { holdWork, listenForWork, openWorkStore } from './workStore.ts'

export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** The service is away, is busy, or still works on the same call of before the reload. */
const mayPass = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof RateLimitError ||
  (error instanceof ConflictError && error.code === 'idempotency_key_in_use') ||
  (error instanceof ApiError && error.status >= 500)

const work = new LongWork({
  kinds: workKinds,
  store: openWorkStore(),
  hold: holdWork,
  now: () => Date.now(),
  newId,
  pause,
  mayPass,
  says: messageOf,
  isOver: (error) => {
    noticeError(error)
    return error instanceof NotSignedInError
  },
  addToFile,
  dropFile,
  onEnd,
})

function onEnd({ id, state }: Work, kind: WorkKind): void {
  for (const key of kind.changes ?? []) void queryClient.invalidateQueries({ queryKey: [key] })
  if (state === 'ended' && kind.file) {
    saveWorkFile(id, kind.file).catch((error: unknown) => toastError('The file could not be saved', error))
  }
}

window.addEventListener('pagehide', () => work.keep())
listenForWork((id) => work.heard(id))

/** Begins work over these ids, or with `input` over everything that its kind finds. It is shown at the foot of every screen. */
export const startWork = (kind: WorkName, member: string, over: WorkOver & { items?: string[] }): string =>
  work.start(kind, member, over)

export const resumeWork = (member: string): void => work.resume(member)
export const stopWork = (id: string): void => work.stop(id)
export const continueWork = (id: string): void => work.continue(id)
export const dismissWork = (id: string): void => work.dismiss(id)

export async function saveWorkFile(id: string, { name, type }: NonNullable<WorkKind['file']>): Promise<void> {
  saveFile(await fileOf(id, type), name)
}

const subscribe = (listener: () => void): (() => void) => work.subscribe(listener)

export const useWorks = (): Work[] => useSyncExternalStore(subscribe, () => work.works)
