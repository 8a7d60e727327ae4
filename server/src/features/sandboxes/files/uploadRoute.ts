// PUT /files/…/uploads/…: takes one large file by a signed URL, piece by piece.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { lockNotAvailable, retryingDeadlocks, sqlState } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { StoredBlob } from '../../../drivers/blobs/blobs.ts'
import { blobsFor } from '../../../kit/blobs.ts'
import type { Context } from '../../../kit/context.ts'
import { readPieces, refuseBody } from '../../../kit/requestBody.ts'
import { faultOf } from '../../../kit/reply.ts'
import type { TeamDatabase } from '../../../kit/teamDatabase.ts'
import { beginTransfer } from '../../../kit/transfers.ts'
import { quotaProblem } from '../workspace/quota.ts'
import { lockFreeSandbox } from '../workspace/sandbox.ts'
import { claimUpload, spendUpload, whileClaimed, type Claim, type Upload } from './uploadClaim.ts'
import { writeStoredFile } from '../workspace/writeFiles.ts'

export function mountUploads(app: FastifyInstance, context: Context): void {
  app.put('/files/:sandbox_id/uploads/:upload_id', async (request, reply) => {
    try {
      const { db } = await beginTransfer(context, request, reply)
      const { upload, bytesMax } = uploadOf(request)
      const held = await claimUpload(db.sql, upload)
      const stored = await whileClaimed(context, held, () => takeFile({ context, db, request, held, bytesMax }))
      const { team_id, sandbox_id } = held.sandbox
      context.log.info(
        { request_id: request.id, team_id, sandbox_id, upload_id: upload.id, ...stored },
        'file uploaded',
      )
      return await reply.code(201).send({ path: upload.path, ...stored })
    } catch (error) {
      throw refuseBody(request, refusalOf(error))
    }
  })
}

/** All of it is signed: it is what we wrote there. */
function uploadOf(request: FastifyRequest): { upload: Upload; bytesMax: number } {
  const { sandbox_id, upload_id } = request.params as { sandbox_id: string; upload_id: string }
  const { path, bytes_max } = request.query as { path: string; bytes_max: string }
  return { upload: { id: upload_id, sandboxId: sandbox_id, path }, bytesMax: Number(bytes_max) }
}

interface Taking {
  context: Context
  db: TeamDatabase
  request: FastifyRequest
  held: Claim
  bytesMax: number
}

/** The bytes are stored before the workspace refers to them: whoever sees the file finds all of it. */
async function takeFile(taking: Taking): Promise<Pick<StoredBlob, 'sha256' | 'size_bytes'>> {
  const { context, db, request, held, bytesMax } = taking
  await refuseInVain(taking)
  const blob = await blobsFor(context, db.sql).putStream(readPieces(request, bytesMax))
  await retryingDeadlocks(() =>
    db.transaction(async (sql) => {
      const locked = await lockFreeSandbox(sql, held.sandbox)
      const refused = await writeStoredFile(context, sql, locked, held.upload.path, blob)
      if (refused) throw new Fault(refused.code, refused.message)
      await spendUpload(sql, held)
    }),
  )
  return { size_bytes: blob.size_bytes, sha256: blob.sha256 }
}

/** A file that does not fit now is refused before it is sent; the check is repeated at the end, with the sandbox locked. */
async function refuseInVain({ context, db, request, held }: Taking): Promise<void> {
  await db.transaction(async (sql) => {
    const locked = await lockFreeSandbox(sql, held.sandbox)
    const bytes = Number(request.headers['content-length'] ?? 0)
    const problem = await quotaProblem(context, sql, locked, { bytes, entries: 1 })
    if (problem) throw new Fault(problem.code, problem.message)
  })
}

function refusalOf(error: unknown): unknown {
  if (sqlState(error) !== lockNotAvailable) return faultOf(error) ?? error
  return new Fault('conflict', 'Another request is changing the same sandbox. Try again in a moment.', { cause: error })
}
