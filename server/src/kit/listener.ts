// One connection that listens for what other processes call out, and comes back by itself when it was lost.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../base/log.ts'
import { pauseAfter } from '../base/pause.ts'
import { connectionSettings, cut, SessionClient, type Address } from '../base/session.ts'

export interface Listener {
  /** Calls are hints: whoever listens must also look by itself, for one may be lost. Answers with how to stop listening. */
  on(channel: string, heard: (payload: string) => void): () => void
  close(): Promise<void>
}

/** A server that refuses to let us listen (a standby, one that is full) is asked again, less and less often. */
const pauses = { firstMs: 250, longestMs: 2000 }

export function createListener(options: { address: () => string | Address; log: Log }): Listener {
  const { log } = options
  const ears = new Map<string, Set<(payload: string) => void>>()
  /** Set while every channel is listened to. */
  let client: Client | undefined
  const closing = new AbortController()
  let listening: Promise<void> | undefined
  let line: Promise<unknown> = Promise.resolve()

  /** There is one loop: a connection that fails, in whatever way, ends its turn and never begins another loop. */
  async function listenOnAndOn(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted) {
      try {
        await listenUntilLost(() => (failures = 0))
      } catch (error) {
        log.debug({ err: error }, 'the listening connection is not back yet')
      }
      failures += 1
      await sleep(pauseAfter(failures, pauses), undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  async function listenUntilLost(succeeded: () => void): Promise<void> {
    const fresh = new SessionClient({
      ...connectionSettings(options.address()),
      application_name: 'runyard listener',
      connectionTimeoutMillis: 1500,
      keepAlive: true,
    })
    fresh.on('error', (error) => log.debug({ err: error }, 'the listening connection was lost'))
    fresh.on('notification', ({ channel, payload }) => {
      for (const heard of ears.get(channel) ?? []) heard(payload ?? '')
    })
    const lost = new Promise((resolve) => fresh.once('end', resolve))
    const close = () => cut(fresh)
    closing.signal.addEventListener('abort', close)
    try {
      await fresh.connect()
      for (const channel of ears.keys()) await fresh.query(`listen ${channel}`)
      client = fresh
      succeeded()
      await lost
    } finally {
      client = undefined
      closing.signal.removeEventListener('abort', close)
      cut(fresh)
    }
  }

  return {
    on(channel, heard) {
      // names of channels are ours, never a user's: they stand in the statement as they are
      if (!/^[a-z_]+$/.test(channel)) throw new Error(`${channel} is not a channel name`)
      const known = ears.get(channel) ?? new Set()
      if (!ears.has(channel)) {
        ears.set(channel, known)
        listening ??= listenOnAndOn()
        // one after the other: a client takes one statement at a time
        line = line.then(() => listenAlso(channel))
      }
      known.add(heard)
      return () => known.delete(heard)
    },
    async close() {
      closing.abort()
      await listening
    },
  }

  /** A connection that cannot listen to one more channel is given up: the next one listens to all of them. */
  async function listenAlso(channel: string): Promise<void> {
    const present = client
    try {
      await present?.query(`listen ${channel}`)
    } catch (error) {
      log.debug({ err: error }, 'listening failed')
      if (present) cut(present)
    }
  }
}
