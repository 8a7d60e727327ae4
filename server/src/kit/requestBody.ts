// Reads a request's body with limits on its size and time, and closes a connection so that a refusal still arrives.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { awakeTimer } from '../base/awakeTimer.ts'
import { Fault, type ErrorCode } from '../base/errors.ts'

/** How long a body may take to arrive; a slower one is refused. */
const bodyMs = 300_000
/** How long the body of somebody whom only that body can prove may take: until then nobody answers for the memory it holds. */
export const strangerBodyMs = 10_000
/** How long a body that may take hours may pause. */
const pauseMs = 60_000

/** RFC 9112 §6.3: without a length and without chunks there is no body. */
export function announcedBytes(headers: IncomingHttpHeaders): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}

/** The same for a body that must be JSON; no Content-Type counts as JSON. */
export async function readJsonBytes(
  request: FastifyRequest,
  bytesMax: number,
  withinMs?: number,
): Promise<Uint8Array | undefined> {
  const bytes = await readBytes(request, bytesMax, withinMs)
  const type = request.headers['content-type']
  if (bytes && type && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Fault('invalid_request', 'Send the body as JSON, with the header "Content-Type: application/json".')
  }
  return bytes
}

/** The body as it was sent, or undefined for none; a body that is larger than the limit is not stored and not waited for. */
export async function readBytes(
  { raw }: FastifyRequest,
  bytesMax: number,
  withinMs = bodyMs,
): Promise<Buffer | undefined> {
  if (Number(raw.headers['content-length']) > bytesMax) throw tooLarge(raw, bytesMax)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] | undefined = []
    let bytes = 0
    /** Continues to read, into nothing. */
    const refuse = (fault: Fault): void => {
      chunks = undefined
      reject(fault)
    }
    const timer = setTimeout(
      () => refuse(tooSlow(raw, `was not complete after ${withinMs / 1000} seconds`)),
      withinMs,
    ).unref()
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks?.push(chunk)
      else refuse(tooLarge(raw, bytesMax))
    })
    finished(raw, { writable: false }, (error) => {
      clearTimeout(timer)
      if (error) reject(cutOff(error))
      else if (chunks) resolve(bytes === 0 ? undefined : Buffer.concat(chunks, bytes))
    })
  })
}

/** A large body in pieces, no faster than they are taken. What is larger than the cap, or pauses for too long, is refused. */
export async function* readPieces({ raw }: FastifyRequest, bytesMax: number): AsyncGenerator<Buffer> {
  if (Number(raw.headers['content-length']) > bytesMax) throw tooLarge(raw, bytesMax)
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const pieces = raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    for (;;) {
      const paused = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(tooSlow(raw, `paused for ${pauseMs / 1000} seconds`)), pauseMs).unref()
      })
      const next = await Promise.race([pieces.next().catch((error: unknown) => Promise.reject(cutOff(error))), paused])
      clearTimeout(timer)
      if (next.done) return
      bytes += next.value.length
      if (bytes > bytesMax) throw tooLarge(raw, bytesMax)
      yield next.value
    }
  } finally {
    clearTimeout(timer)
    // releases the stream, so that whoever answers now can throw the rest of it away
    void pieces.return?.()
  }
}

/** After how many bytes more a body without a length is held against the room that there is. */
const checkedEveryBytes = 64 * 1024 * 1024

/**
 * A large body in pieces, for which there must be room. `check` throws if there is none for this many bytes. It is asked at the end of each body, and
 * while one arrives whose length nobody announced. So what has no room is refused before it is stored.
 */
export async function* readPiecesFitting(
  request: FastifyRequest,
  bytesMax: number,
  check: (bytes: number) => Promise<void>,
): AsyncGenerator<Buffer> {
  let bytes = 0
  let checked = announcedBytes(request.raw.headers) ?? checkedEveryBytes
  for await (const piece of readPieces(request, bytesMax)) {
    bytes += piece.length
    if (bytes > checked) {
      await check(bytes)
      checked = bytes + checkedEveryBytes
    }
    yield piece
  }
  await check(bytes)
}

const cutOff = (error: unknown) =>
  new Fault('invalid_request', 'The body ended before it was complete.', { cause: error })

const tooLarge = (raw: IncomingMessage, bytesMax: number) =>
  refusal(raw, 'payload_too_large', `The body is larger than ${bytesMax} bytes, the most this operation takes.`)

const tooSlow = (raw: IncomingMessage, says: string) =>
  refusal(raw, 'invalid_request', `The body ${says}. Send it again, over a better connection.`)

function refusal(raw: IncomingMessage, code: ErrorCode, says: string): Fault {
  closeAfterAnswer(raw)
  return new Fault(code, says, { headers: { connection: 'close' } })
}

/** For a large body that is not worth waiting for: the same refusal, after which the connection closes. */
export function refuseBody({ raw }: FastifyRequest, error: unknown): unknown {
  if (!(error instanceof Fault) || raw.complete) return error
  closeAfterAnswer(raw)
  const headers = { ...error.headers, connection: 'close' }
  return new Fault(error.code, error.message, { headers, cause: error.cause })
}

/** Node closes by this method once the answer is written, while the caller may still be sending. */
function closeAfterAnswer({ socket }: IncomingMessage): void {
  socket.destroySoon = () => closeGently(socket)
}

/** What is answered before its body is there throws the rest of it away, for as long as any other body may take. */
export function dropUnreadBody({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  const timer = setTimeout(() => raw.destroy(), bodyMs).unref()
  raw.once('close', () => clearTimeout(timer))
  raw.resume()
}

const lingerMs = 1000

/**
 * RFC 9112 §9.6: to close while the other side still sends resets the connection, and an answer that is under way may be lost with it. So
 * we close our side first, and read and drop the rest for a moment.
 */
export function closeGently(socket: Socket): void {
  socket.end()
  socket.once(
    'close',
    awakeTimer(() => socket.destroy(), lingerMs),
  )
}
