// How the filtering proxy answers: it passes one request on to its server and returns the answer, or answers itself.

import { request as httpRequest, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'

export type RelayTarget = { url: URL; host: string; port: number }

/** The message of the error with which a connection ends on which nothing moves. */
export const idle = 'idle'

/** An answer of the proxy itself; its message is the body. */
export class ProxyAnswer extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  constructor(status: number, sentence: string, headers: Record<string, string> = {}) {
    super(sentence)
    this.status = status
    this.headers = headers
  }
}

// RFC 9110 §7.6.1: these speak of one connection and end here, with whatever `Connection` names. `Expect` was answered by our own server.
// No `Via` is added (§7.6.3 wants one): it would show every site which service its visitor comes from.
const endHere = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // set by us
  'content-length',
  'host',
])

/** One exchange on a connection of its own; both bodies stream, as fast as the slower side takes them. */
export function relay(target: RelayTarget, upstream: Socket, request: IncomingMessage, response: ServerResponse): void {
  const { url, host } = target
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const sent = httpRequest({
    createConnection: () => upstream,
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...passedOn(request),
      ...(isChunked ? { 'transfer-encoding': 'chunked' } : length(request)),
      host: url.host,
    },
  })
  const fail = (status: number, says: string): void => answer(response, new ProxyAnswer(status, `${host} ${says}.`))
  sent.on('response', (received) => {
    try {
      response.writeHead(received.statusCode ?? 0, { ...passedOn(received), ...length(received) })
    } catch {
      // Not swallowed: the server wrote something that is not HTTP, such as a status of 99, and the client gets an error.
      received.destroy()
      return fail(502, 'answered with what cannot be passed on')
    }
    pipeline(received, response, () => {})
  })
  sent.on('error', ({ message }) =>
    message === idle ? fail(504, 'stopped answering') : fail(502, 'gave no valid answer'),
  )
  // This also happens when the server changed to another protocol that nobody asked for.
  sent.once('close', () => {
    if (!response.headersSent) fail(502, 'gave no answer')
  })
  response.once('close', () => sent.destroy())
  if (isChunked || request.headers['content-length'] !== undefined) request.pipe(sent)
  else sent.end()
}

// Where a body ends is said by us, from what the parser understood, and never by a header that `Connection` could have
// taken away: bytes without a frame would be read as a second request. The parser refuses messages with both frames.
function length({ headers }: IncomingMessage): Record<string, string> {
  return headers['content-length'] === undefined ? {} : { 'content-length': headers['content-length'] }
}

function passedOn({ headersDistinct, headers }: IncomingMessage): Record<string, string[]> {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/)
  const kept = Object.entries(headersDistinct).filter(([name]) => !endHere.has(name) && !named.includes(name))
  return Object.fromEntries(kept) as Record<string, string[]>
}

export function asAnswer(error: unknown): ProxyAnswer {
  if (error instanceof ProxyAnswer) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new ProxyAnswer(502, `The request cannot be passed on: ${reason}.`)
}

/** Before the headers are sent, an answer says what is wrong; after that only the cut connection can show it. */
export function answer(response: ServerResponse, { status, message, headers }: ProxyAnswer): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(status, { ...plainText(message), ...headers }).end(message)
}

/** The same, for a connection that has no response object. */
export function written({ status, message, headers }: ProxyAnswer): string {
  const lines = Object.entries({ ...plainText(message), ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${message}`
}

const plainText = (message: string): Record<string, string> => ({
  'content-type': 'text/plain; charset=utf-8',
  'content-length': String(Buffer.byteLength(message)),
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  connection: 'close',
})
