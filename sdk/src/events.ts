// A live stream of events that survives broken connections: it resumes after the last event, and loses and repeats none.
import type { Client, Query } from './client.ts'
import { ConnectionError, RunyardError, StreamError } from './errors.ts'
import { EventLines } from './eventLines.ts'
import { pause, waitBeforeRetry } from './retry.ts'

/** The server sends something every 15 seconds. After twice that the connection is dead, even if the system does not know it. */
const usualSilenceMs = 35_000
const usualGiveUpMs = 120_000
/** How long to wait at most before a stream is opened again that ended in good order. */
const reopenMaxMs = 200

export interface StreamOptions {
  signal?: AbortSignal
  /** Continues after this event, as `position` gave it. */
  after?: string
  /** How long the server may be away before the stream fails: two minutes unless given. */
  giveUpAfterMs?: number
  /** How long nothing may come before the stream is opened again: 35 seconds unless given. */
  silenceMs?: number
  /** Is called when a connection is open, and when it broke and another is tried. */
  onState?: (state: 'open' | 'broken') => void
}

export class EventStream<Event extends { event: string }> implements AsyncIterable<Event> {
  /** The last event that was given: `after` continues here. */
  position: string | undefined
  readonly #open: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>
  readonly #options: StreamOptions
  readonly #endsWith: string | undefined

  /** `endsWith`: the event after which there is nothing more. */
  constructor(
    client: Client,
    path: string,
    params: Record<string, string>,
    query: object,
    options: StreamOptions,
    endsWith?: string,
  ) {
    this.#options = options
    this.#endsWith = endsWith
    this.position = options.after
    this.#open = async (headers, signal) =>
      client.send('GET', await client.fill(path, params), {
        query: query as Query,
        headers: { accept: 'text/event-stream', ...headers },
        signal,
        // this class has a patience of its own
        maxRetries: 0,
      })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    const { signal, giveUpAfterMs = usualGiveUpMs, onState } = this.#options
    // since when the server is away
    let awayAt: number | undefined
    let hasStarted = false
    for (let attempt = 0; ; attempt += 1) {
      try {
        for await (const event of this.#connection()) {
          awayAt = undefined
          attempt = 0
          if (event === undefined) continue
          // each connection has one; after the first it says nothing new
          if (event.event === 'start' && hasStarted) continue
          hasStarted = true
          yield event
          if (event.event === this.#endsWith) return
        }
        signal?.throwIfAborted()
      } catch (error) {
        signal?.throwIfAborted()
        const waitMs = waitBeforeRetry(error, attempt)
        awayAt ??= Date.now()
        onState?.('broken')
        if (waitMs === undefined || Date.now() - awayAt + waitMs > giveUpAfterMs) throw error
        await pause(waitMs, signal)
        continue
      }
      // the server closed it in good order, because it stops or because this reader was slow
      await pause(Math.random() * reopenMaxMs, signal)
    }
  }

  /** One connection until it ends; undefined when only an id came, to show that the stream is alive. */
  async *#connection(): AsyncGenerator<Event | undefined, void, undefined> {
    const { signal, silenceMs = usualSilenceMs, onState } = this.#options
    const stopping = new AbortController()
    const stop = () => stopping.abort(signal?.reason)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      const resumed: Record<string, string> = this.position === undefined ? {} : { 'last-event-id': this.position }
      const reader = readerOf(await this.#open(resumed, stopping.signal))
      onState?.('open')
      const decoder = new TextDecoder()
      const lines = new EventLines()
      for (;;) {
        timer = setTimeout(
          () => stopping.abort(new ConnectionError('Nothing came over the stream for too long.')),
          silenceMs,
        )
        const { done, value } = await reader.read()
        clearTimeout(timer)
        if (done) return
        yield undefined
        for (const { id, event, data } of lines.take(decoder.decode(value, { stream: true }))) {
          this.position = id ?? this.position
          yield parsed<Event>(event, data)
        }
        this.position = lines.lastEventId ?? this.position
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof RunyardError) throw error
      throw new ConnectionError('The stream was cut off.', { cause: error })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      // ends the connection of a reader that stops early
      stopping.abort()
    }
  }
}

/** A page of a proxy with a good status is not a stream, and asking again would not make it one. */
function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  const type = response.headers.get('content-type') ?? 'nothing'
  if (response.body && type.startsWith('text/event-stream')) return response.body.getReader()
  throw new StreamError(`The server answered with ${type} where a stream was expected.`)
}

/** An event of the log is an envelope already; what only the stream says gets the same two fields. */
function parsed<Event>(event: string, data: string): Event {
  const value = valueOf(data) as { message?: string; event?: string }
  if (event === 'error') throw new StreamError(value.message ?? 'The server ended the stream with an error.')
  return (value.event === event ? value : { event, data: value }) as Event
}

function valueOf(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw new StreamError(`The stream has an event that is not JSON: ${data.slice(0, 200)}`, { cause: error })
  }
}
