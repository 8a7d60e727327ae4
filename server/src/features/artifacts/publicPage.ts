// Pages that anybody may see who has their URL, and the pictures of pages: plain routes without a credential.
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import { pageHeaders } from '../../base/page/pageHeaders.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { beginTransfer, beginTransferOf } from '../../kit/transfers.ts'
import { isSignedFor } from './publicUrl.ts'
import { pageOfRevision } from './renderPage.ts'

export function mountPages(app: FastifyInstance, context: Context): void {
  app.get<{ Params: { artifact_id: string; signature: string } }>(
    '/pages/:artifact_id/:signature',
    async (request, reply) => {
      const { artifact_id, signature } = request.params
      const found = await findPublic(context, artifact_id)
      if (!found || !isSignedFor(context, { id: artifact_id, publicKey: found.public_key }, signature)) throw gone()
      const { db } = await beginTransferOf(context, found.team_id, reply)
      const page = await pageOfRevision(context, db.sql, {
        teamId: found.team_id,
        revisionId: found.current_revision_id,
      })
      if (!page) throw gone()
      // a page that was made private again must not be shown from a cache
      return reply.headers({ ...pageHeaders(), 'cache-control': 'no-store' }).send(page.html)
    },
  )
  app.get<{ Params: { revision_id: string } }>('/artifacts/pictures/:revision_id', async (request, reply) => {
    const { db, secondsLeft } = await beginTransfer(context, request, reply)
    const { picture = '', for: reader } = request.query as { picture?: string; for?: string }
    // the signature is the permission: it was made for exactly this picture; if for the team, then it is valid while the artifact is shared
    const [known] = await db.sql`
      select r.id from artifact_revisions r join artifacts a on a.id = r.artifact_id
      where r.id = ${request.params.revision_id} and r.picture_sha256 = decode(${picture}, 'hex')
        and (a.visibility <> 'private' or ${reader === 'creator'})`
    const bytes = known && (await blobsFor(context, db.sql).get([picture])).get(picture)
    if (!bytes)
      throw new Fault('not_found', 'There is a newer picture, or the artifact was deleted or is not shared any more.')
    reply.headers({
      // a picture that was shared must not be shown from a cache when it is private again
      'cache-control': reader === 'creator' ? `private, max-age=${secondsLeft}, immutable` : 'private, no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    })
    return reply.type('image/jpeg').send(bytes)
  })
}

interface Public {
  team_id: string
  public_key: string
  current_revision_id: string | null
}

async function findPublic({ db }: Context, id: string): Promise<Public | undefined> {
  if (!isId(id)) return undefined
  const [found] = await db.sql<Public>`
    select team_id, public_key, current_revision_id from artifacts where id = ${id} and public_key is not null`
  return found
}

/** The same for what never was, what is not public, and a wrong signature. */
const gone = () => new Fault('not_found', 'There is no page at this URL, or it is no longer public.')
