// The streams that are open in this process: their heartbeats, slow readers, credentials that end, and the end of the process.
import type { ServerResponse } from 'node:http'
import { awakeTimer } from '../base/awakeTimer.ts'
import { Fault } from '../base/errors.ts'
import { createFairPool, teamShare } from '../base/fairPool.ts'
import type { Log } from '../base/log.ts'
import type { Context } from './context.ts'
import type { Caller } from './credential.ts'
import { blockOf, retryLine, type EventStream, type Source } from './stream.ts'
import { runningPart } from './runningPart.ts'
import { createSharedPool } from './sharedPools.ts'

interface Opening {
  operation: string
  response: ServerResponse
  headers: Record<string, string | number | string[] | undefined>
  source: Source
  /** Whether the credential that opened the stream would still be let in. */
  isAllowed: () => Promise<boolean>
  /** Gives back what `reserve` took. */
  release: () => void
  onEnd: (ended: Ended) => void
}

interface Ended {
  by: 'reader' | 'source' | 'slow reader' | 'credential' | 'end of the process'
  events: number
  durationMs: number
}

interface OpenStreams {
  /** Takes a slot for one more stream of this caller, or throws a 429. Nobody waits for one, because a stream need not end. */
  reserve(caller: Pick<Caller, 'team_id' | 'credential'>): () => void
  open(opening: Opening): void
  /** Called once a second while a stream is open; `now` is a time of performance.now(). */
  check(now: number): Promise<void>
  /** The process stops: every stream ends, and its reader comes back to another process. */
  endAll(): void
}

const checkMs = 1000
const heartbeatMs = 15_000
/** A revoked key is noticed by the next of these, at most 0.8 s late (credential.ts). */
const credentialMs = 2000
/** How long a reader may take nothing before it is dropped; it can come back and resume. */
const stalledMs = 30_000
/** How many bytes may be sent to a reader that is behind: the text deltas, which cannot wait. */
const behindBytesMax = 1024 * 1024
const goodbyeMs = 1000

/** Tells a refused reader when to come back; by then streams of others may have ended. */
const tooMany = (reason: string): Fault =>
  new Fault('rate_limited', `${reason} Close some, or read several runs with one stream of the team's events.`, {
    headers: { 'retry-after': '5' },
  })

export const openStreamsOf = runningPart('open streams', createOpenStreams)

interface OpenStream {
  check(now: number): Promise<void>
  goodbye(): void
}

function createOpenStreams(context: Context): OpenStreams {
  const { streamsMax, streamsOfKeyMax, teamShare: percent } = context.config
  const open = new Set<OpenStream>()
  const ofTeams = createSharedPool(context, {
    name: 'streams',
    size: streamsMax,
    perTeam: teamShare(streamsMax, percent),
  })
  /** Counts the same by credential. */
  const ofKeys = createFairPool({ name: 'streams', size: streamsMax, perTeam: streamsOfKeyMax })
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  async function checkAll(now: number): Promise<void> {
    if (context.lifecycle.draining) return endAll()
    await Promise.all([...open].map((one) => one.check(now)))
  }

  function endAll(): void {
    isClosing = true
    for (const one of open) one.goodbye()
  }

  function reserve({ team_id, credential }: Pick<Caller, 'team_id' | 'credential'>): () => void {
    const ofTeam = ofTeams.tryTake(team_id)
    const ofKey = ofTeam && ofKeys.tryTake(credential.id)
    if (ofTeam && ofKey) {
      return () => {
        ofTeam()
        ofKey()
      }
    }
    ofTeam?.()
    if (ofTeam) throw tooMany(`This credential has ${streamsOfKeyMax} streams open here, which is the most.`)
    if (ofTeams.taken(team_id) < ofTeams.perTeam) throw tooMany('This process has as many streams open as it may.')
    throw tooMany(`This team has ${ofTeams.perTeam} streams open here, which is the most.`)
  }

  return {
    reserve,
    check: checkAll,
    endAll,
    open(opening) {
      // it left while it was being let in
      if (opening.response.destroyed) return opening.release()
      const gauge = context.metrics.openStreams
      const one = openStream(context, opening, () => {
        open.delete(one)
        opening.release()
        gauge.dec({ operation: opening.operation })
        if (open.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      open.add(one)
      gauge.inc({ operation: opening.operation })
      timer ??= setInterval(() => void checkAll(performance.now()), checkMs)
      // its request was let in before, or the load balancer does not know yet
      if (isClosing || context.lifecycle.draining) one.goodbye()
    },
  }
}

/** One open stream: what was sent, and how far its reader is behind. */
interface Opened {
  opening: Opening
  log: Log
  stream: EventStream
  openedAt: number
  events: number
  endedBy: Ended['by'] | undefined
  writtenAt: number
  /** When its credential was last looked up. */
  askedAt: number
  fullSince: number | undefined
  /** How many bytes were sent since the reader is behind. */
  behindBytes: number
  /** The last event that the reader did not want; a heartbeat sends its id. */
  passedId: string | undefined
  /** The text of events that are sent together. */
  gathered: string | undefined
}

function openStream({ log }: Context, opening: Opening, onGone: () => void): OpenStream {
  const { response, source } = opening
  const openedAt = performance.now()
  const opened: Opened = {
    opening,
    log,
    stream: streamOf(() => opened),
    openedAt,
    events: 0,
    endedBy: undefined,
    writtenAt: openedAt,
    askedAt: openedAt,
    fullSince: undefined,
    behindBytes: 0,
    passedId: undefined,
    gathered: undefined,
  }
  response.on('error', (error) => log.debug({ err: error }, 'a stream broke'))
  response.on('drain', () => {
    opened.fullSince = undefined
    opened.behindBytes = 0
    opened.stream.onDrain()
  })
  response.writeHead(200, opening.headers)
  write(opened, retryLine)
  const stop = source(opened.stream)
  response.once('close', () => {
    const by = (opened.endedBy ??= 'reader')
    stop()
    onGone()
    opening.onEnd({ by, events: opened.events, durationMs: performance.now() - openedAt })
  })
  return { check: (now) => checkStream(opened, now), goodbye: () => goodbye(opened) }
}

/** What the source of the events sees of it. */
function streamOf(opened: () => Opened): EventStream {
  return {
    get isOpen() {
      return opened().endedBy === undefined
    },
    get isFull() {
      return opened().fullSince !== undefined
    },
    send(event) {
      const one = opened()
      one.events += 1
      if (event.id !== undefined) one.passedId = undefined
      if (one.gathered === undefined) write(one, blockOf(event))
      else one.gathered += blockOf(event)
    },
    together(send) {
      const one = opened()
      one.gathered = ''
      try {
        send()
      } finally {
        const text = one.gathered
        one.gathered = undefined
        if (text !== '') write(one, text)
      }
    },
    passed(id) {
      opened().passedId = id
    },
    end: () => end(opened(), 'source'),
    onDrain: () => undefined,
  }
}

function write(opened: Opened, text: string): void {
  if (opened.endedBy !== undefined) return
  opened.writtenAt = performance.now()
  if (opened.fullSince !== undefined && (opened.behindBytes += Buffer.byteLength(text)) > behindBytesMax) {
    return drop(opened, 'slow reader')
  }
  if (!opened.opening.response.write(text)) opened.fullSince ??= opened.writtenAt
}

function end(opened: Opened, by: Ended['by'], lastWords = ''): void {
  if (opened.endedBy !== undefined) return
  opened.endedBy = by
  opened.opening.response.end(lastWords)
}

/** Throws away what the reader has not taken by now: `end` would wait for that. */
function drop(opened: Opened, by: Ended['by']): void {
  opened.endedBy ??= by
  opened.opening.response.destroy()
}

/** Nobody waits for a reader that does not take the last event, and the connection is not used for another request. */
function goodbye(opened: Opened): void {
  const by = 'end of the process'
  if (opened.endedBy === by) return
  if (opened.fullSince !== undefined) return drop(opened, by)
  const { response } = opened.opening
  const { socket } = response
  response.once(
    'close',
    awakeTimer(() => drop(opened, by), goodbyeMs),
  )
  response.once('finish', () => socket?.destroySoon())
  end(opened, by, ': this process stops; connect again\n\n')
}

/** Drops a slow reader, sends the heartbeat, and looks up the credential, each when its time has come. */
async function checkStream(opened: Opened, now: number): Promise<void> {
  const { fullSince, writtenAt } = opened
  if (fullSince !== undefined && now - fullSince >= stalledMs) return drop(opened, 'slow reader')
  if (fullSince === undefined && now - writtenAt >= heartbeatMs) heartbeat(opened)
  if (now - opened.askedAt < credentialMs) return
  opened.askedAt = now
  await askForCredential(opened)
}

async function askForCredential(opened: Opened): Promise<void> {
  try {
    if (await opened.opening.isAllowed()) return
    end(opened, 'credential', ': the credential of this stream is no longer valid\n\n')
  } catch (error) {
    opened.log.debug({ err: error }, 'a stream continues while its credential cannot be looked up')
  }
}

function heartbeat(opened: Opened): void {
  const id = opened.passedId === undefined ? '' : `id: ${opened.passedId}\n`
  opened.passedId = undefined
  write(opened, `${id}: heartbeat\n\n`)
}
