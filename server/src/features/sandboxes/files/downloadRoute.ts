// GET /files/…: the bytes of a file by a signed URL, streamed, cacheable, and harmless in a browser.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contentDisposition } from '../../../base/contentDisposition.ts'
import { Fault } from '../../../base/errors.ts'
import { postgresBlobs } from '../../../drivers/blobs/postgres.ts'
import type { Context } from '../../../kit/context.ts'
import type { TeamDatabase } from '../../../kit/teamDatabase.ts'
import { beginTransfer } from '../../../kit/transfers.ts'
import { contentTypeOf } from '../workspace/contentType.ts'
import { isThere } from '../workspace/sandbox.ts'

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

interface Wanted {
  sandbox_id: string
  sha256: string
  name: string
}

export function mountDownloads(app: FastifyInstance, context: Context): void {
  app.get('/files/:sandbox_id/:sha256/:name', async (request, reply) => {
    const { db, secondsLeft } = await beginTransfer(context, request, reply)
    const wanted = request.params as Wanted
    const sizeBytes = await findSize(db, wanted)
    const etag = `"${wanted.sha256}"`
    reply.headers({ etag, 'cache-control': `private, max-age=${secondsLeft}, immutable` })
    if (isKnown(request, etag)) return reply.code(304).send()
    return sendBytes(db, reply, wanted, sizeBytes)
  })
}

/** The signature says that this sandbox had these bytes. They stay while anything refers to them, also after a change of the file. */
async function findSize({ sql }: TeamDatabase, { sandbox_id, sha256 }: Wanted): Promise<number> {
  const [blob] = await sql<{ size_bytes: number }>`
    select b.size_bytes from sandboxes s, blobs b
    where s.id = ${sandbox_id} and ${isThere} and b.sha256 = decode(${sha256}, 'hex')`
  if (!blob) throw new Fault('not_found', 'The file of this URL was deleted. List the files to see what is there.')
  return blob.size_bytes
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}

function sendBytes(db: TeamDatabase, reply: FastifyReply, { sha256, name }: Wanted, sizeBytes: number): FastifyReply {
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

/** Breaks the answer off when bytes are missing, which nobody could tell from its end otherwise. */
async function* wholeOf({ sql }: TeamDatabase, sha256: string, sizeBytes: number): AsyncGenerator<Buffer> {
  let sent = 0
  for await (const piece of postgresBlobs(sql).read(sha256)) {
    sent += piece.length
    yield piece
  }
  if (sent !== sizeBytes) throw new Error(`the blob ${sha256} has ${sent} of ${sizeBytes} bytes`)
}
