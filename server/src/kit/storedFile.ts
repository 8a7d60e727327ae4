// A stored file as callers get it: its content in an answer, or its bytes by a signed URL, harmless in a browser.
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentDisposition } from '../base/contentDisposition.ts'
import { contentTypeOf } from '../base/contentType.ts'
import type { Sql } from '../base/db.ts'
import type { Blobs, ByteRange } from '../drivers/blobs/blobs.ts'
import { blobsFor } from './blobs.ts'
import type { Context } from './context.ts'
import { nullable, oneOf, Type } from './schema.ts'
import type { TeamDatabase } from './teamDatabase.ts'

/** What is larger is only downloaded. */
export const directBytesMax = 10 * 1024 * 1024

/** How long a URL for a download is the same for all who ask; it is valid for one to two times as long. */
export const downloadValidS = 3600

export const ContentFields = {
  content: nullable(
    Type.String({ description: 'Null for a file of more than 10 MiB: use `download_url`.', examples: ['# Report'] }),
  ),
  encoding: oneOf(['utf-8', 'base64'], {
    description: '`utf-8` where the content is text, else `base64`; also where it is null.',
  }),
  content_type: Type.String({ description: 'By the ending of the name.', examples: ['text/markdown'] }),
  size_bytes: Type.Integer({ minimum: 0 }),
  download_url: Type.String({
    description: 'Gives the bytes without a credential, for at least an hour.',
    examples: ['http://127.0.0.1:4700/files/…/report.md?path=…&team=…&expires=…&signature=…'],
  }),
}

/** Text if it is text. Undefined: nothing refers to the bytes any more. */
export async function readStored(
  context: Context,
  sql: Sql,
  { sha256, size_bytes }: { sha256: string; size_bytes: number },
): Promise<{ content: string | null; encoding: 'utf-8' | 'base64' } | undefined> {
  if (size_bytes > directBytesMax) return { content: null, encoding: 'base64' }
  const bytes = (await blobsFor(context, sql).get([sha256])).get(sha256)
  return bytes && textOrBase64(bytes)
}

function textOrBase64(bytes: Buffer): { content: string; encoding: 'utf-8' | 'base64' } {
  const isText = isUtf8(bytes) && !bytes.includes(0)
  return isText
    ? { content: bytes.toString('utf8'), encoding: 'utf-8' }
    : { content: bytes.toString('base64'), encoding: 'base64' }
}

/** What a browser shows without running any of it; everything else (HTML, SVG, XML, scripts, PDF) it only saves. */
const shown = new Set([
  'text/plain',
  'text/markdown',
  'text/csv',
  'text/tab-separated-values',
  'application/json',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
])

interface StoredFile {
  sha256: string
  name: string
  sizeBytes: number
  /** How long its URL is still valid: as long it may be cached. */
  secondsLeft: number
}

export async function sendStored(
  context: Context,
  db: TeamDatabase,
  request: FastifyRequest,
  reply: FastifyReply,
  { sha256, name, sizeBytes, secondsLeft }: StoredFile,
): Promise<FastifyReply> {
  const blobs = blobsFor(context, db.sql)
  const etag = `"${sha256}"`
  reply.headers({ etag, 'cache-control': `private, max-age=${secondsLeft}, immutable` })
  if (isKnown(request, etag)) return reply.code(304).send()
  const type = contentTypeOf(name)
  const contentType = type.startsWith('text/') ? `${type}; charset=utf-8` : type
  const disposition = contentDisposition(shown.has(type) ? 'inline' : 'attachment', name)
  const link = mayBeSent(request) ? await blobs.link(sha256, { contentType, disposition }) : undefined
  // the URL of the store is over in a minute, ours is not
  if (link !== undefined) return reply.header('cache-control', 'no-store').redirect(link, 302)
  const range = askedRange(request, etag, sizeBytes)
  if (range === 'none') {
    reply.headers({ 'content-range': `bytes */${sizeBytes}`, 'cache-control': 'no-store' })
    return reply.code(416).send()
  }
  const { from, to } = range ?? { from: 0, to: sizeBytes }
  const pieces = wholeOf(blobs, sha256, { from, to })
  // what fails before the first piece can still be told
  const first = await pieces.next()
  if (range) reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${sizeBytes}`)
  reply.headers({
    'content-type': contentType,
    'content-length': to - from,
    'content-disposition': disposition,
    // nothing in it may run, load or reach our origin, whatever it is taken for
    'content-security-policy': "sandbox; default-src 'none'",
    // the URL is the permission: a site that is opened from the file must not learn it
    'referrer-policy': 'no-referrer',
    'accept-ranges': 'bytes',
  })
  return reply.send(Readable.from(startingWith(first, pieces), { objectMode: false }))
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}

/**
 * Whether the caller may be sent to another origin. A page that loads the file for itself may not: its Content-Security-Policy, and the store,
 * would have to allow it. Only browsers send Sec-Fetch-Site.
 */
const mayBeSent = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === undefined || headers['sec-fetch-mode'] === 'navigate'

/**
 * The part of the file that the request asks for (RFC 9110 §14). Undefined: all of it, also where several parts or another unit are asked
 * for, or parts of a file that is not this one. `none`: there is no such part.
 */
function askedRange({ headers }: FastifyRequest, etag: string, sizeBytes: number): ByteRange | 'none' | undefined {
  const ifRange = headers['if-range']
  if (ifRange !== undefined && ifRange !== etag) return undefined
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return Number(last) === 0 ? 'none' : { from: Math.max(0, sizeBytes - Number(last)), to: sizeBytes }
  if (last !== '' && Number(last) < Number(first)) return undefined
  const from = Number(first)
  return from >= sizeBytes ? 'none' : { from, to: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) }
}

/** Breaks the answer off when bytes are missing, which nobody could tell from its end otherwise. */
async function* wholeOf(blobs: Blobs, sha256: string, range: ByteRange): AsyncGenerator<Buffer> {
  const wanted = range.to - range.from
  let sent = 0
  for await (const piece of blobs.read(sha256, range)) {
    sent += piece.length
    yield piece
  }
  if (sent !== wanted) throw new Error(`the blob ${sha256} has ${sent} of ${wanted} bytes`)
}

async function* startingWith(first: IteratorResult<Buffer>, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.done) return
  yield first.value
  yield* rest
}
