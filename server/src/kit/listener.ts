// One connection that listens for notifications of other processes, and is opened again when it was lost.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../base/log.ts'
import { pauseAfter } from '../base/pause.ts'
import { connectionSettings, cut, SessionClient, type DatabaseAddress } from '../base/session.ts'

/** The channel on which one process is called, by its id: what only one must do need not wake all. */
export const ownChannel = (processId: string): string => `${ownChannelPrefix}${processId.replaceAll('-', '')}`
const ownChannelPrefix = 'runyard_to_'

/** The same for the channels of all processes, so that they can be counted together. */
export const kindOfChannel = (channel: string): string =>
  channel.startsWith(ownChannelPrefix) ? 'runyard_to' : channel

export interface Listener {
  /** A notification is a hint and may be lost, so whoever listens must also poll. Returns the function that stops listening. */
  on(channel: string, heard: (payload: string) => void): () => void
  /** Whether notifications on this channel reach us now. */
  hears(channel: string): boolean
  close(): Promise<void>
}

/** A server that refuses to let us listen (a standby, one that is full) is asked again, less and less often. */
const pauses = { firstMs: 250, longestMs: 2000 }

interface Ears {
  address: () => DatabaseAddress
  log: Log
  /** Called with each notification. */
  onHeard?: (channel: string) => void
  /** Who listens, by channel. */
  heardOn: Map<string, Set<(payload: string) => void>>
  /** The channels on which notifications reach us now. */
  listened: Set<string>
  /** Set while every channel is listened to. */
  client: Client | undefined
  closing: AbortController
}

export function createListener(options: Pick<Ears, 'address' | 'log' | 'onHeard'>): Listener {
  const ears: Ears = {
    ...options,
    heardOn: new Map(),
    listened: new Set(),
    client: undefined,
    closing: new AbortController(),
  }
  let listening: Promise<void> | undefined
  let line: Promise<unknown> = Promise.resolve()
  return {
    on(channel, heard) {
      // names of channels are ours, never a user's: they are part of the statement's text
      if (!/^[a-z0-9_]+$/.test(channel)) throw new Error(`${channel} is not a channel name`)
      const known = ears.heardOn.get(channel) ?? new Set()
      if (!ears.heardOn.has(channel)) {
        ears.heardOn.set(channel, known)
        listening ??= keepListening(ears)
        // one after the other: a client takes one statement at a time
        line = line.then(() => listenAlso(ears, channel))
      }
      known.add(heard)
      return () => known.delete(heard)
    },
    hears: (channel) => ears.listened.has(channel),
    async close() {
      ears.closing.abort()
      await listening
    },
  }
}

/** There is one loop: a connection that fails, in whatever way, ends its turn and never begins another loop. */
async function keepListening(ears: Ears): Promise<void> {
  const { log, closing } = ears
  let failures = 0
  while (!closing.signal.aborted) {
    try {
      await listenUntilLost(ears, () => (failures = 0))
    } catch (error) {
      log.debug({ err: error }, 'the listening connection is not back yet')
    }
    failures += 1
    await sleep(pauseAfter(failures, pauses), undefined, { signal: closing.signal }).catch(() => undefined)
  }
}

async function listenUntilLost(ears: Ears, succeeded: () => void): Promise<void> {
  const { log, heardOn, closing } = ears
  const fresh = new SessionClient({
    ...connectionSettings(ears.address()),
    application_name: 'runyard listener',
    connectionTimeoutMillis: 1500,
  })
  fresh.on('error', (error) => log.debug({ err: error }, 'the listening connection was lost'))
  fresh.on('notification', ({ channel, payload }) => {
    ears.onHeard?.(channel)
    for (const heard of heardOn.get(channel) ?? []) heard(payload ?? '')
  })
  const lost = new Promise((resolve) => fresh.once('end', resolve))
  const close = () => cut(fresh)
  closing.signal.addEventListener('abort', close)
  try {
    await fresh.connect()
    for (const channel of heardOn.keys()) {
      await fresh.query(`listen ${channel}`)
      ears.listened.add(channel)
    }
    ears.client = fresh
    succeeded()
    await lost
  } finally {
    ears.client = undefined
    ears.listened.clear()
    closing.signal.removeEventListener('abort', close)
    cut(fresh)
  }
}

/** A connection that cannot listen to one more channel is given up: the next one listens to all of them. */
async function listenAlso({ client, listened, log }: Ears, channel: string): Promise<void> {
  try {
    if (!client) return
    await client.query(`listen ${channel}`)
    listened.add(channel)
  } catch (error) {
    log.debug({ err: error }, 'listening failed')
    if (client) cut(client)
  }
}
