// Calls to URLs that users gave us: a bounded request of our own, and a fetch for libraries; no redirect is followed.

import type { RequestInit as UndiciRequestInit, Response as UndiciResponse } from 'undici'
import { exchange, type OutboundAnswer, type OutboundRequest } from './exchange.ts'
import { exchangeFailure, OutboundFailure } from './failure.ts'
import { OutboundRefused, type Guard } from './guard.ts'

export { OutboundFailure, type OutboundStage } from './failure.ts'
export type { OutboundAnswer, OutboundRequest } from './exchange.ts'

type Fetch = typeof globalThis.fetch

/** How many URLs are remembered as admitted: what is called often is then parsed and checked once. */
const admittedMax = 1000

export type Outbound = {
  request: (request: OutboundRequest) => Promise<OutboundAnswer>
  /**
   * fetch through the same guard, for libraries that take one. Redirects are returned, not followed. It has no total time (answers may be
   * streams that stay open): give it a signal. Failures are OutboundFailure, not TypeError, which some libraries take for a missing
   * document; an abort rejects with the signal's reason, as everywhere.
   */
  fetch: Fetch
  /** Ends everything at once; calls under way fail as 'aborted'. */
  close: () => Promise<void>
}

export type OutboundLimits = {
  /** The longest any connection may take to open. */
  connectTimeoutMs?: number
  /** The most that one answer of `fetch` may hold, decompressed. */
  fetchBytesMax?: number
}

export function createOutbound(guard: Guard, limits: OutboundLimits = {}): Outbound {
  const { connectTimeoutMs = 5000, fetchBytesMax = 32 * 1024 * 1024 } = limits
  let isClosed = false
  let opened: ReturnType<typeof open> | undefined
  /** What was opened, until it is closed: then a request need not wait for a promise. */
  let ready: Awaited<ReturnType<typeof open>> | undefined
  const admittedUrls = new Map<string, URL>()

  // Loading undici takes a tenth of a start, and many processes end without a call.
  async function open() {
    const [{ createDispatcher }, { fetch }] = await Promise.all([import('./connect.ts'), import('undici')])
    const made = { ...createDispatcher(guard, { connectTimeoutMs }), undiciFetch: fetch }
    if (!isClosed) ready = made
    return made
  }

  async function connections(): ReturnType<typeof open> {
    if (isClosed) throw new OutboundFailure('aborted', 'The service is shutting down.')
    return (opened ??= open())
  }

  async function close(): Promise<void> {
    isClosed = true
    ready = undefined
    await (await opened)?.close()
  }

  async function request(wanted: OutboundRequest): Promise<OutboundAnswer> {
    const url = admittedUrl(wanted.url, Object.keys(wanted.headers ?? {}))
    const { dispatcher } = ready ?? (await connections())
    return exchange(dispatcher, url, wanted, {
      timeoutMs: wanted.timeoutMs ?? 15_000,
      connectTimeoutMs: Math.min(wanted.connectTimeoutMs ?? connectTimeoutMs, connectTimeoutMs),
      answerBytesMax: wanted.answerBytesMax ?? 4096,
      answerMs: wanted.answerMs,
    })
  }

  /** What the guard says of a URL depends on nothing else; the addresses of its host are vetted for each connection. */
  function admittedUrl(target: string | URL, headers: string[]): URL {
    refuseHost(headers)
    if (typeof target !== 'string') return admitted(guard, target)
    const known = admittedUrls.get(target)
    if (known) return known
    const url = admitted(guard, target)
    if (admittedUrls.size >= admittedMax) admittedUrls.clear()
    admittedUrls.set(target, url)
    return url
  }

  async function guardedFetch(...args: Parameters<Fetch>): Promise<Response> {
    const [input] = args
    refuseHost(headerNames(...args))
    const url = admitted(guard, input instanceof Request ? input.url : input)
    const init = await ownInit(...args)
    const { dispatcher, undiciFetch } = await connections()
    // Node's types describe its built-in undici, another release of the same code.
    const options = { ...init, redirect: 'manual', dispatcher } as unknown as UndiciRequestInit
    try {
      return await bounded(await undiciFetch(url, options), url, fetchBytesMax)
    } catch (error) {
      if (init.signal?.aborted === true) throw error
      throw fetchFailure(url.hostname, error)
    }
  }

  return { request, fetch: guardedFetch, close }
}

/** With another Host than the URL's, a request could reach a neighbour of the host that was vetted. */
function refuseHost(headers: string[]): void {
  if (headers.some((name) => name.length === 4 && name.toLowerCase() === 'host')) {
    throw new OutboundFailure('guard', 'The Host header follows the URL and cannot be set.')
  }
}

function admitted(guard: Guard, target: string | URL): URL {
  try {
    return guard.checkUrl(target)
  } catch (error) {
    if (error instanceof OutboundRefused) throw new OutboundFailure('guard', error.reason, { cause: error })
    throw error
  }
}

function headerNames(...[input, init]: Parameters<Fetch>): string[] {
  const headers = init?.headers ?? (input instanceof Request ? input.headers : {})
  return [...new Headers(headers).keys()]
}

// Our undici knows neither a Request nor a FormData of Node's built-in one (it would send "[object FormData]"), so Node
// itself encodes these. The body is buffered to be sent with its length: some servers of OAuth take no chunks.
async function ownInit(...[input, init = {}]: Parameters<Fetch>): Promise<RequestInit> {
  if (!(input instanceof Request) && !(init.body instanceof FormData)) return init
  const request = new Request(input, init)
  const body = request.body === null ? null : await request.arrayBuffer()
  return { method: request.method, headers: request.headers, body, signal: request.signal }
}

// A body nobody read would hold its connection for as long as the other side likes. One that cannot be cancelled has failed already, and
// nobody waits for it.
const forgotten = new FinalizationRegistry<ReadableStream>((body) => {
  if (!body.locked) body.cancel().catch(() => {})
})

/** The same answer as one of Node's own Response, whose body fails when it grows too large. */
async function bounded(response: UndiciResponse, url: URL, bytesMax: number): Promise<Response> {
  const { status, statusText } = response
  if (status < 200 || status > 599) {
    await response.body?.cancel()
    throw new OutboundFailure('protocol', `${url.hostname} answered with the unknown status ${status}.`)
  }
  let bytes = 0
  const meter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > bytesMax) throw new OutboundFailure('protocol', `${url.hostname} answered with too much.`)
      controller.enqueue(chunk)
    },
  })
  const body = response.body?.pipeThrough(meter) ?? null
  const answer = new Response(body, { status, statusText, headers: [...response.headers] })
  if (body !== null) forgotten.register(answer, body)
  return Object.defineProperty(answer, 'url', { value: response.url })
}

function fetchFailure(host: string, error: unknown): unknown {
  // A failed exchange is a TypeError with the failure as its cause; one without is a mistake in the arguments.
  if (error instanceof TypeError && error.cause === undefined) return error
  return exchangeFailure(host, error instanceof TypeError ? error.cause : error)
}
