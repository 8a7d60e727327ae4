// Sends a finished answer, JSON or a file. A long one leaves in pieces, so that other requests get their turn between them.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { dropWhenStalled } from './stalledReaders.ts'

export const jsonType = 'application/json; charset=utf-8'

/** How much is sent at once: to encode a page of long texts whole takes 10 ms. */
const pieceLength = 64 * 1024

/** Sends bytes or text as they are: Fastify's serialiser would drop what a schema does not name. */
export function sendInPieces(
  reply: FastifyReply,
  { bytes, type }: { bytes: Buffer | string | AsyncIterable<Buffer>; type: string },
) {
  reply.header('content-type', type)
  if (typeof bytes !== 'string' && !Buffer.isBuffer(bytes)) {
    dropWhenStalled(reply.raw)
    return reply.send(Readable.from(bytes, { objectMode: false }))
  }
  if (bytes.length <= pieceLength) return reply.send(bytes)
  dropWhenStalled(reply.raw)
  const pieces = typeof bytes === 'string' ? piecesOfText(bytes) : piecesOf(bytes)
  return reply.header('content-length', Buffer.byteLength(bytes)).send(Readable.from(pieces, { objectMode: false }))
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength)
}

function* piecesOfText(text: string): Generator<Buffer> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + pieceLength, text.length)
    // the two halves of a surrogate pair stay together
    if (isFirstHalf(text.charCodeAt(end - 1)) && end < text.length) end += 1
    yield Buffer.from(text.slice(at, end))
    at = end
  }
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
