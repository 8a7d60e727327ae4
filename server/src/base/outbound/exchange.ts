// One request and its answer, with every bound on it: total time, time to connect, bytes that are read of the answer.

import type { Dispatcher } from 'undici'
import type { PooledConnection, ConnectionAware } from './connect.ts'
import { awakeTimer } from '../awakeTimer.ts'
import { connectTimeout, exchangeFailure, OutboundFailure } from './failure.ts'
import { timingOf, type Timing } from './timing.ts'

export type OutboundRequest = {
  method?: string
  url: string | URL
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array | null
  signal?: AbortSignal
  /** From the call to the last byte read. */
  timeoutMs?: number
  /** Name resolution, TCP and TLS together; it can shorten the limit all connections have, not lengthen it. */
  connectTimeoutMs?: number
  /** How many bytes of the answer's body are read; the rest is not. */
  answerBytesMax?: number
  /** For callers that only want the status: how long the body is read after the status has come. */
  answerMs?: number
}

export type OutboundAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The bytes as they were sent, never decompressed. */
  body: Buffer
  truncated: boolean
  durationMs: number
  timing: Timing
  /** The address of the connection, which may have been dialled for an earlier request. */
  address: string | null
}

type ExchangeLimits = {
  timeoutMs: number
  connectTimeoutMs: number
  answerBytesMax: number
  answerMs: number | undefined
}

/** Sends a request that the guard has let through; rejects with OutboundFailure only. */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: OutboundRequest,
  limits: ExchangeLimits,
): Promise<OutboundAnswer> {
  const run = new Exchange(url.hostname, limits, request.signal)
  const options: Dispatcher.DispatchOptions = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: request.method ?? 'GET',
    headers: request.headers ?? {},
    body: request.body ?? null,
    // The total time bounds both.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  if (!run.isOver) {
    dispatcher.dispatch(options, run)
    run.waitForConnection()
  }
  return run.answer
}

// undici offers no way to give up a request that still waits for its connection, so an exchange ends for the caller
// first, and its request is dropped unsent when (and if) the connection comes.
class Exchange implements ConnectionAware {
  readonly answer: Promise<OutboundAnswer>
  isOver = false

  #host: string
  #limits: ExchangeLimits
  #signal: AbortSignal | undefined
  #startedAt = performance.now()
  #sentAt: number | undefined
  #answeredAt: number | undefined
  #resolve: (answer: OutboundAnswer) => void
  #reject: (failure: OutboundFailure) => void
  #endTimer: () => void
  #endConnectTimer: (() => void) | undefined
  #endAnswerTimer: (() => void) | undefined
  #connection: PooledConnection | null = null
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #headers: OutboundAnswer['headers'] = {}
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(host: string, limits: ExchangeLimits, signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
    this.answer = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#host = host
    this.#limits = limits
    this.#signal = signal
    this.#endTimer = awakeTimer(() => this.#fail(this.#timedOut()), limits.timeoutMs)
    signal?.addEventListener('abort', this.#abort)
    if (signal?.aborted === true) this.#abort()
  }

  /** A request on an open connection was sent at once, and needs no limit for this. */
  waitForConnection(): void {
    if (this.isOver || this.#sentAt !== undefined) return
    this.#endConnectTimer = awakeTimer(() => this.#fail(connectTimeout(this.#host)), this.#limits.connectTimeoutMs)
  }

  onConnection(connection: PooledConnection): void {
    this.#connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#endConnectTimer?.()
    this.#sentAt = performance.now()
    this.#controller = controller
    if (this.isOver) controller.abort(new Error('the caller has gone'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: OutboundAnswer['headers'],
  ): void {
    // Interim answers (RFC 9110 §15.2) come here too; the final one overwrites them.
    this.#status = status
    this.#headers = headers
    this.#answeredAt = performance.now()
    const { answerMs } = this.#limits
    if (answerMs === undefined || status < 200) return
    // most answers come whole, and then need no limit
    queueMicrotask(() => {
      if (!this.isOver) this.#endAnswerTimer = awakeTimer(() => this.#succeed(true), answerMs)
    })
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return
    const room = this.#limits.answerBytesMax - this.#bytes
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#bytes += chunk.length
    if (chunk.length > room) this.#succeed(true)
  }

  onResponseEnd(): void {
    this.#succeed(false)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#fail(exchangeFailure(this.#host, error))
  }

  #abort = (): void => {
    const cause: unknown = this.#signal?.reason
    this.#fail(new OutboundFailure('aborted', `The call to ${this.#host} was aborted by its caller.`, { cause }))
  }

  #timedOut(): OutboundFailure {
    const seconds = this.#limits.timeoutMs / 1000
    return new OutboundFailure('timeout', `${this.#host} did not answer completely within ${seconds} s.`)
  }

  #succeed(truncated: boolean): void {
    if (this.isOver) return
    this.#end()
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      truncated,
      durationMs: Math.round(performance.now() - this.#startedAt),
      timing: this.#timing(),
      address: this.#connection?.address ?? null,
    })
    // Closes the connection: the rest of the answer is never read.
    if (truncated) this.#controller?.abort(new Error('the rest of the answer is not wanted'))
  }

  #fail(failure: OutboundFailure): void {
    if (this.isOver) return
    this.#end()
    failure.timing = this.#timing()
    this.#reject(failure)
    this.#controller?.abort(failure)
  }

  #timing(): Timing {
    const moments = { startedAt: this.#startedAt, sentAt: this.#sentAt, answeredAt: this.#answeredAt }
    return timingOf(moments, this.#connection?.dial ?? null, performance.now())
  }

  #end(): void {
    this.isOver = true
    this.#endTimer()
    this.#endConnectTimer?.()
    this.#endAnswerTimer?.()
    this.#signal?.removeEventListener('abort', this.#abort)
  }
}
