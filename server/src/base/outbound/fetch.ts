// Calls to addresses users gave us: a bounded request of our own, and a fetch for libraries; no redirect is followed.

import { fetch as undiciFetch, type RequestInit as UndiciRequestInit, type Response as UndiciResponse } from 'undici'
import { createDispatcher } from './connect.ts'
import { exchange, type OutboundAnswer, type OutboundRequest } from './exchange.ts'
import { exchangeFailure, OutboundFailure } from './failure.ts'
import { OutboundRefused, type Guard } from './guard.ts'

export { OutboundFailure, type OutboundStage } from './failure.ts'
export type { OutboundAnswer, OutboundRequest } from './exchange.ts'

export type Fetch = typeof globalThis.fetch

export type Outbound = {
  request: (request: OutboundRequest) => Promise<OutboundAnswer>
  /**
   * fetch through the same door, for libraries that take one. Redirects are returned, not followed. It has no total
   * time (answers may be streams that stay open): give it a signal. Failures are OutboundFailure, not TypeError, which
   * some libraries take for a missing document; an abort rejects with the signal's reason, as everywhere.
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
  const { dispatcher, close } = createDispatcher(guard, { connectTimeoutMs })

  async function request(wanted: OutboundRequest): Promise<OutboundAnswer> {
    const url = admitted(guard, wanted.url, Object.keys(wanted.headers ?? {}))
    return exchange(dispatcher, url, wanted, {
      timeoutMs: wanted.timeoutMs ?? 15_000,
      connectTimeoutMs: Math.min(wanted.connectTimeoutMs ?? connectTimeoutMs, connectTimeoutMs),
      answerBytesMax: wanted.answerBytesMax ?? 4096,
    })
  }

  async function guardedFetch(...args: Parameters<Fetch>): Promise<Response> {
    const { target, init } = spread(...args)
    const url = admitted(guard, target, [...new Headers(init.headers).keys()])
    // Node's types describe its built-in undici, another release of the same code.
    const options = { ...init, redirect: 'manual', dispatcher } as unknown as UndiciRequestInit
    try {
      return bounded(await undiciFetch(url, options), url, fetchBytesMax)
    } catch (error) {
      if (init.signal?.aborted === true) throw error
      throw fetchFailure(url.hostname, error)
    }
  }

  return { request, fetch: guardedFetch, close }
}

function admitted(guard: Guard, target: string | URL, headerNames: string[]): URL {
  // With another Host than the URL's, a request could reach a neighbour of the host that was vetted.
  if (headerNames.some((name) => name.toLowerCase() === 'host')) {
    throw new OutboundFailure('guard', 'The Host header follows the URL and cannot be set.')
  }
  try {
    return guard.checkUrl(target)
  } catch (error) {
    if (error instanceof OutboundRefused) throw new OutboundFailure('guard', error.reason, { cause: error })
    throw error
  }
}

/** The two ways of calling fetch made one: our undici does not know a Request of Node's built-in one. */
function spread(input: Parameters<Fetch>[0], init: RequestInit = {}): { target: string | URL; init: RequestInit } {
  if (typeof input === 'string' || input instanceof URL) return { target: input, init }
  const { url, method, headers, body, signal } = input
  const given: RequestInit = { method, headers, signal, ...(body === null ? {} : { body, duplex: 'half' }) }
  return { target: url, init: { ...given, ...init } }
}

/** The same answer as one of Node's own Response, whose body fails when it grows too large. */
function bounded(response: UndiciResponse, url: URL, bytesMax: number): Response {
  const { status, statusText } = response
  if (status < 200 || status > 599) {
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
  return Object.defineProperty(answer, 'url', { value: response.url })
}

function fetchFailure(host: string, error: unknown): unknown {
  // A failed exchange is a TypeError with the failure as its cause; one without is a mistake in the arguments.
  if (error instanceof TypeError && error.cause === undefined) return error
  return exchangeFailure(host, error instanceof TypeError ? error.cause : error)
}
