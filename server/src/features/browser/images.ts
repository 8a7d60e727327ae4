// The pictures themselves, under signed URLs outside of /v2: no bearer token, so that an <img> can show them.
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../base/errors.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { beginTransfer } from '../../kit/transfers.ts'

type Params = { Params: { screenshot_id: string } }

export function mountImages(app: FastifyInstance, context: Context): void {
  for (const size of ['', '/thumbnail'] as const) {
    app.get<Params>(`/images/:screenshot_id${size}`, async (request, reply) => {
      const { db, secondsLeft } = await beginTransfer(context, request, reply)
      const { sql } = db
      // The signature is the permission: it was made for exactly this URL by a caller of the team.
      const [found] = await sql<{ full: string; thumbnail: string }>`
        select encode(sha256, 'hex') as full, encode(thumbnail_sha256, 'hex') as thumbnail
        from browser_screenshots where id = ${request.params.screenshot_id}`
      const sha256 = size === '' ? found?.full : found?.thumbnail
      if (sha256 === undefined) throw gone()
      const etag = `"${sha256}"`
      reply.headers({
        'cache-control': `private, max-age=${secondsLeft}, immutable`,
        etag,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        // shown by consoles of other origins too; whoever has the URL may see it
        'cross-origin-resource-policy': 'cross-origin',
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      const bytes = (await blobsFor(context, sql).get([sha256])).get(sha256)
      if (!bytes) throw gone()
      return reply.type('image/jpeg').send(bytes)
    })
  }
}

const gone = () => new Fault('not_found', 'This screenshot was deleted with its run, or its retention time is over.')
