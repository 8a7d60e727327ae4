// A stored file as callers get it: its content in an answer, or its bytes by a signed URL, harmless in a browser.
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentDisposition } from '../base/contentDisposition.ts'
import { contentTypeOf } from '../base/contentType.ts'
import type { Sql } from '../base/db.ts'
import { postgresBlobs } from '../drivers/blobs/postgres.ts'
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
  sql: Sql,
  { sha256, size_bytes }: { sha256: string; size_bytes: number },
): Promise<{ content: string | null; encoding: 'utf-8' | 'base64' } | undefined> {
  if (size_bytes > directBytesMax) return { content: null, encoding: 'base64' }
  const bytes = (await postgresBlobs(sql).get([sha256])).get(sha256)
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

export function sendStored(
  db: TeamDatabase,
  request: FastifyRequest,
  reply: FastifyReply,
  { sha256, name, sizeBytes, secondsLeft }: StoredFile,
): FastifyReply {
  const etag = `"${sha256}"`
  reply.headers({ etag, 'cache-control': `private, max-age=${secondsLeft}, immutable` })
  if (isKnown(request, etag)) return reply.code(304).send()
  const type = contentTypeOf(name)
  reply.headers({
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-length': sizeBytes,
    'content-disposition': contentDisposition(shown.has(type) ? 'inline' : 'attachment', name),
    // nothing in it may run, load or reach our origin, whatever it is taken for
    'content-security-policy': "sandbox; default-src 'none'",
    // the URL is the permission: a site that is opened from the file must not learn it
    'referrer-policy': 'no-referrer',
    'accept-ranges': 'none',
  })
  return reply.send(Readable.from(wholeOf(db, sha256, sizeBytes), { objectMode: false }))
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}

/** Breaks the answer off when bytes are missing, which nobody could tell from its end otherwise. */
async function* wholeOf({ sql }: TeamDatabase, sha256: string, sizeBytes: number): AsyncGenerator<Buffer> {
  let sent = 0
  for await (const piece of postgresBlobs(sql).read(sha256)) {
    sent += piece.length
    yield piece
  }
  if (sent !== sizeBytes) throw new Error(`the blob ${sha256} has ${sent} of ${sizeBytes} bytes`)
}
