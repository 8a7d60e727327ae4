// Requests to one bucket, sent again where they fail in passing, a few times and within bounds.
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { NoSuchObject, StoreAway } from '../objectStore.ts'
import { ask, type Asked, type S3Server } from './request.ts'

export interface Bucket {
  server: S3Server
  bucket: string
  /** Without slashes at its ends; may be empty. */
  prefix: string
  /** Before the second, third and fourth attempt. */
  pausesMs: number[]
}

/** Nobody is kept waiting for longer than this and one more attempt. */
const attemptsMs = 20_000

export const pathOf = ({ prefix }: Bucket, key: string): string => (prefix === '' ? key : `${prefix}/${key}`)

export async function inAttempts<T>({ pausesMs }: Bucket, work: () => Promise<T>): Promise<T> {
  const began = Date.now()
  for (const pauseMs of pausesMs) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreAway) || Date.now() - began > attemptsMs) throw error
      // processes that were cut off together do not come back together
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
  return work()
}

/** The key, if there is one, is below the prefix. */
export const send = (
  at: Bucket,
  { key, ...asked }: Omit<Asked, 'bucket'>,
): Promise<{ text: string; headers: IncomingMessage['headers'] }> =>
  inAttempts(at, () =>
    ask(at.server, { bucket: at.bucket, ...asked, ...(key !== undefined && { key: pathOf(at, key) }) }),
  )

/** Undefined: there is no such object. */
export async function sizeOf(at: Bucket, key: string): Promise<number | undefined> {
  try {
    return Number((await send(at, { method: 'HEAD', key })).headers['content-length'])
  } catch (error) {
    if (error instanceof NoSuchObject) return undefined
    throw error
  }
}

export function unlessGone(error: unknown): void {
  if (!(error instanceof NoSuchObject)) throw error
}
