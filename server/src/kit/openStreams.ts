// The streams that are open in this process: their heartbeats, slow readers, credentials that end, and the end of the process.
import type { ServerResponse } from 'node:http'
import { Fault } from '../base/errors.ts'
import { createFairPool, teamShare } from '../base/fairPool.ts'
import type { Context } from './context.ts'
import type { Caller } from './credential.ts'
import { blockOf, retryLine, type EventStream, type Source } from './stream.ts'
import { runningPart } from './runningPart.ts'

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
  /** Once a second while a stream is open; `now` as performance.now() has it. */
  look(now: number): Promise<void>
  /** The process stops: every reader is told, and comes back elsewhere. */
  endAll(): void
}

const lookMs = 1000
const heartbeatMs = 15_000
/** A revoked key is noticed by the next of these, at most 0.8 s late (credential.ts). */
const credentialMs = 2000
/** A reader that takes nothing for so long is let go; it can come back and resume. */
const stalledMs = 30_000
/** So much may be sent to a reader that is behind: the text deltas, which cannot wait. */
const behindBytesMax = 1024 * 1024
const goodbyeMs = 1000

/** Tells a refused reader when to come back; by then streams of others may have ended. */
const tooMany = (reason: string): Fault =>
  new Fault('rate_limited', `${reason} Close some, or read several runs with one stream of the team's events.`, {
    headers: { 'retry-after': '5' },
  })

export const openStreamsOf = runningPart('open streams', createOpenStreams)

interface OpenStream {
  look(now: number): Promise<void>
  goodbye(): void
}

function createOpenStreams(context: Context): OpenStreams {
  const { streamsMax, streamsOfKeyMax, teamShare: percent } = context.config
  const open = new Set<OpenStream>()
  const ofTeams = createFairPool({
    name: 'streams',
    size: streamsMax,
    perTeam: teamShare(streamsMax, percent),
  })
  /** Counts the same by credential. */
  const ofKeys = createFairPool({ name: 'streams', size: streamsMax, perTeam: streamsOfKeyMax })
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  async function look(now: number): Promise<void> {
    if (context.lifecycle.draining) return endAll()
    await Promise.all([...open].map((one) => one.look(now)))
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
    look,
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
      timer ??= setInterval(() => void look(performance.now()), lookMs)
      // its request was let in before, or the load balancer does not know yet
      if (isClosing || context.lifecycle.draining) one.goodbye()
    },
  }
}

function openStream(context: Context, opening: Opening, onGone: () => void): OpenStream {
  const { response, source, isAllowed } = opening
  const openedAt = performance.now()
  let events = 0
  let endedBy: Ended['by'] | undefined
  let writtenAt = openedAt
  let askedAt = openedAt
  let fullSince: number | undefined
  let behindBytes = 0
  let passedId: number | undefined
  let gathered: string | undefined

  function write(text: string): void {
    if (endedBy !== undefined) return
    writtenAt = performance.now()
    if (fullSince !== undefined && (behindBytes += Buffer.byteLength(text)) > behindBytesMax) return drop('slow reader')
    if (!response.write(text)) fullSince ??= writtenAt
  }

  const stream: EventStream = {
    get isOpen() {
      return endedBy === undefined
    },
    get isFull() {
      return fullSince !== undefined
    },
    send(event) {
      events += 1
      if (event.id !== undefined) passedId = undefined
      if (gathered === undefined) write(blockOf(event))
      else gathered += blockOf(event)
    },
    together(send) {
      gathered = ''
      try {
        send()
      } finally {
        const text = gathered
        gathered = undefined
        if (text !== '') write(text)
      }
    },
    passed(id) {
      passedId = id
    },
    end: () => end('source'),
    onDrain: () => undefined,
  }

  function end(by: Ended['by'], lastWords = ''): void {
    if (endedBy !== undefined) return
    endedBy = by
    response.end(lastWords)
  }

  /** What it has not taken by now is thrown away with it: `end` would wait for that. */
  function drop(by: Ended['by']): void {
    endedBy ??= by
    response.destroy()
  }

  /** Nobody waits for a reader that does not take its last words, and the connection is not kept for another request. */
  function goodbye(): void {
    const by = 'end of the process'
    if (endedBy === by) return
    if (fullSince !== undefined) return drop(by)
    const { socket } = response
    const timer = setTimeout(() => drop(by), goodbyeMs).unref()
    response.once('close', () => clearTimeout(timer))
    response.once('finish', () => socket?.destroySoon())
    end(by, ': this process stops; connect again\n\n')
  }

  async function askForCredential(): Promise<void> {
    try {
      if (!(await isAllowed())) end('credential', ': the credential of this stream is no longer valid\n\n')
    } catch (error) {
      context.log.debug({ err: error }, 'a stream goes on while its credential cannot be looked up')
    }
  }

  function heartbeat(): void {
    const id = passedId === undefined ? '' : `id: ${passedId}\n`
    passedId = undefined
    write(`${id}: heartbeat\n\n`)
  }

  response.on('error', (error) => context.log.debug({ err: error }, 'a stream broke'))
  response.on('drain', () => {
    fullSince = undefined
    behindBytes = 0
    stream.onDrain()
  })
  response.writeHead(200, opening.headers)
  write(retryLine)
  const stop = source(stream)
  response.once('close', () => {
    endedBy ??= 'reader'
    stop()
    onGone()
    opening.onEnd({ by: endedBy, events, durationMs: performance.now() - openedAt })
  })

  return {
    async look(now) {
      if (fullSince !== undefined && now - fullSince >= stalledMs) return drop('slow reader')
      if (fullSince === undefined && now - writtenAt >= heartbeatMs) heartbeat()
      if (now - askedAt < credentialMs) return
      askedAt = now
      await askForCredential()
    },
    goodbye,
  }
}
