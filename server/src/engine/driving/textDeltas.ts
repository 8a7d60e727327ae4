// Text while a model writes it: from the process that drives a run to the streams that are open on that run, here and elsewhere.
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { deltaChannel, watchChannel } from '../ledger/notifyChannels.ts'
import { runningPart } from '../../kit/runningPart.ts'

interface TextDeltas {
  /** A piece of text of a run that this process drives; costs next to nothing while nobody follows that run. */
  made: (runId: string, text: string) => void
  /** Begins to send text that is written here to streams in other processes. Returns how to stop. */
  relay(): () => void
  /** Listens to the run's text, wherever it is written. Nothing is stored: who comes later, or misses a piece, gets the message when it is done. */
  follow(runId: string, heard: (text: string) => void): () => void
}

/** How long pieces are gathered: at most one notification for each run in that time. */
const gatherMs = 100
/** How many bytes a notification has at most: PostgreSQL takes less than 8000. */
const payloadBytesMax = 7168
/** How much text of a run waits at most to be sent: more is not worth the memory. */
const backlogMax = 2 * 1024 * 1024
const announceMs = 10_000
const watchedMs = 30_000
/** How many ids one notification has at most. */
const idsMax = 150

export const textDeltasOf = runningPart('text deltas', createTextDeltas)

function createTextDeltas({ db, log, listener }: Context): TextDeltas {
  /** Identifies this process: notifications come back to their sender too. */
  const origin = newId()
  const followers = createFollowers(listenForText, announce)
  /** Runs that streams of other processes follow, and until when we believe it. */
  const watched = new Map<string, number>()
  const forHere = new Map<string, string>()
  const forOthers = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined
  let isCalling = false

  function made(runId: string, text: string): void {
    if (followers.has(runId)) gather(forHere, runId, text)
    if ((watched.get(runId) ?? 0) > performance.now()) gather(forOthers, runId, text)
  }

  function gather(pieces: Map<string, string>, runId: string, text: string): void {
    const before = pieces.get(runId) ?? ''
    pieces.set(runId, before.length > backlogMax ? text : before + text)
    timer ??= setTimeout(flush, gatherMs)
  }

  function flush(): void {
    for (const [runId, text] of forHere) followers.tell(runId, text)
    forHere.clear()
    if (!isCalling && forOthers.size > 0) callOthers()
    timer = isCalling || forOthers.size > 0 ? setTimeout(flush, gatherMs) : undefined
  }

  /** Sends one statement for all runs, and never two at a time, so that pieces arrive in their order. */
  function callOthers(): void {
    const payloads: string[] = []
    for (const [runId, text] of forOthers) {
      const [payload, rest] = cut(text, (piece) => JSON.stringify({ origin, run_id: runId, text: piece }))
      payloads.push(payload)
      if (rest === '') forOthers.delete(runId)
      else forOthers.set(runId, rest)
    }
    isCalling = true
    void notify(deltaChannel, payloads).finally(() => (isCalling = false))
  }

  async function notify(channel: string, payloads: string[]): Promise<void> {
    try {
      // nothing is stored, so nobody waits for the disk
      await db.sql`
        select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as p (payload)`
    } catch (error) {
      log.debug({ err: error, channel }, 'other processes were not notified; streams continue without this text')
    }
  }

  function announce(runIds: string[]): void {
    const payloads: string[] = []
    for (let from = 0; from < runIds.length; from += idsMax) {
      payloads.push(`${origin} ${runIds.slice(from, from + idsMax).join(',')}`)
    }
    void notify(watchChannel, payloads)
  }

  function listenForText(): () => void {
    return listener.on(deltaChannel, (payload) => {
      const called = JSON.parse(payload) as { origin: string; run_id: string; text: string }
      if (called.origin !== origin) followers.tell(called.run_id, called.text)
    })
  }

  return {
    made,
    relay: () =>
      listener.on(watchChannel, (payload) => {
        const [from, runIds = ''] = payload.split(' ')
        if (from === origin) return
        const now = performance.now()
        for (const [runId, until] of watched) if (until < now) watched.delete(runId)
        for (const runId of runIds.split(',')) watched.set(runId, now + watchedMs)
      }),
    follow: (runId, heard) => followers.add(runId, heard),
  }
}

type Heard = (text: string) => void

/** Who follows which run in this process. While anybody does, it listens, and announces every few seconds for which runs. */
function createFollowers(listen: () => () => void, announce: (runIds: string[]) => void) {
  const byRun = new Map<string, Set<Heard>>()
  const fresh = new Set<string>()
  let stopListening: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined

  /** Streams that open together are announced together. */
  function announceSoon(runId: string): void {
    fresh.add(runId)
    if (fresh.size > 1) return
    setImmediate(() => {
      announce([...fresh])
      fresh.clear()
    })
  }

  return {
    has: (runId: string): boolean => byRun.has(runId),
    tell(runId: string, text: string): void {
      for (const heard of byRun.get(runId) ?? []) heard(text)
    },
    add(runId: string, heard: Heard): () => void {
      stopListening ??= listen()
      timer ??= setInterval(() => announce([...byRun.keys()]), announceMs)
      const those = byRun.get(runId) ?? new Set()
      byRun.set(runId, those.add(heard))
      announceSoon(runId)
      return () => {
        those.delete(heard)
        if (those.size === 0 && byRun.get(runId) === those) byRun.delete(runId)
        if (byRun.size > 0) return
        stopListening?.()
        clearInterval(timer)
        stopListening = timer = undefined
      }
    },
  }
}

/** Cuts the text into what fits into one notification, and the rest. It never cuts a character in two. */
function cut(text: string, payloadOf: (piece: string) => string): [string, string] {
  for (let length = Math.min(text.length, payloadBytesMax); ; length >>= 1) {
    const isInside = /[\ud800-\udbff]/.test(text.charAt(length - 1)) && length < text.length
    const piece = text.slice(0, isInside && length > 1 ? length - 1 : length)
    const payload = payloadOf(piece)
    if (Buffer.byteLength(payload) <= payloadBytesMax) return [payload, text.slice(piece.length)]
  }
}
