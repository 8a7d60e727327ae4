// One connection that listens for what other processes call out, and comes back by itself when it was lost.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../base/log.ts'
import { connectionSettings, SessionClient, type Address } from '../base/session.ts'

export interface Listener {
  /** Calls are hints: whoever listens must also look by itself, for one may be lost. Answers with how to stop listening. */
  on(channel: string, heard: (payload: string) => void): () => void
  close(): Promise<void>
}

const retryMs = 250

export function createListener(options: { address: () => string | Address; log: Log }): Listener {
  const { log } = options
  const ears = new Map<string, Set<(payload: string) => void>>()
  let client: Client | undefined
  const closing = new AbortController()
  let connecting: Promise<void> | undefined
  let line: Promise<unknown> = Promise.resolve()

  async function connect(): Promise<void> {
    while (!closing.signal.aborted) {
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
      try {
        await fresh.connect()
        fresh.on('end', () => {
          client = undefined
          if (!closing.signal.aborted) connecting = connect()
        })
        for (const channel of ears.keys()) await fresh.query(`listen ${channel}`)
        client = fresh
        return
      } catch (error) {
        log.debug({ err: error }, 'the listening connection is not back yet')
        await fresh.end().catch((failed: Error) => log.debug({ err: failed }, 'closing a failed connection'))
        await sleep(retryMs)
      }
    }
  }

  return {
    on(channel, heard) {
      // names of channels are ours, never a user's: they stand in the statement as they are
      if (!/^[a-z_]+$/.test(channel)) throw new Error(`${channel} is no channel`)
      const known = ears.get(channel) ?? new Set()
      if (!ears.has(channel)) {
        ears.set(channel, known)
        connecting ??= connect()
        // one after the other: a client takes one statement at a time
        line = line
          .then(() => client?.query(`listen ${channel}`))
          .catch((error: unknown) => log.debug({ err: error }, 'listening failed'))
      }
      known.add(heard)
      return () => known.delete(heard)
    },
    async close() {
      closing.abort()
      await connecting
      await client?.end()
    },
  }
}
