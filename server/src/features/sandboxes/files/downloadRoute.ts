// GET /files/…: the bytes of a file by a signed URL, streamed, cacheable, and harmless in a browser.
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { sendStored } from '../../../kit/storedFile.ts'
import type { TeamDatabase } from '../../../kit/teamDatabase.ts'
import { beginTransfer } from '../../../kit/transfers.ts'
import { isThere } from '../workspace/sandbox.ts'

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
    return sendStored(context, db, request, reply, { ...wanted, sizeBytes, secondsLeft })
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
