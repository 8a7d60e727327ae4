// PUT /files/…/uploads/…: takes one large file by a signed address, piece by piece.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { lockNotAvailable, retryingDeadlocks, sqlState } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import type { StoredBlob } from '../../drivers/blobs/blobs.ts'
import { postgresBlobs } from '../../drivers/blobs/postgres.ts'
import type { Context } from '../../kit/context.ts'
import { readPieces, refuseBody } from '../../kit/requestBody.ts'
import { requireSignature } from '../../kit/signedUrl.ts'
import { quotaProblem } from './quota.ts'
import { lockFreeSandbox } from './sandbox.ts'
import { claimUpload, spendUpload, whileClaimed, type Claim, type Upload } from './uploadClaim.ts'
import { placeFile } from './writeFiles.ts'

export function mountUploads(app: FastifyInstance, context: Context): void {
  app.put('/files/:sandbox_id/uploads/:upload_id', async (request, reply) => {
    try {
      requireSignature(context, request)
      const { upload, bytesMax } = uploadOf(request)
      const held = await claimUpload(context.db.sql, upload)
      const stored = await whileClaimed(context, held, () => takeFile(context, request, held, bytesMax))
      const { team_id, sandbox_id } = held.sandbox
      context.log.info(
        { request_id: request.id, team_id, sandbox_id, upload_id: upload.id, ...stored },
        'file uploaded',
      )
      return await reply.code(201).send({ path: upload.path, ...stored })
    } catch (error) {
      throw refuseBody(request, faultOf(error))
    }
  })
}

/** All of it is signed: it is what we wrote there. */
function uploadOf(request: FastifyRequest): { upload: Upload; bytesMax: number } {
  const { sandbox_id, upload_id } = request.params as { sandbox_id: string; upload_id: string }
  const { path, bytes_max } = request.query as { path: string; bytes_max: string }
  return { upload: { id: upload_id, sandboxId: sandbox_id, path }, bytesMax: Number(bytes_max) }
}

/** The bytes are stored before the workspace names them: whoever sees the file finds all of it. */
async function takeFile(
  context: Context,
  request: FastifyRequest,
  held: Claim,
  bytesMax: number,
): Promise<Pick<StoredBlob, 'sha256' | 'size_bytes'>> {
  await refuseInVain(context, request, held)
  const blob = await postgresBlobs(context.db.sql).putStream(readPieces(request, bytesMax))
  await retryingDeadlocks(() =>
    context.db.transaction(async (sql) => {
      const locked = await lockFreeSandbox(sql, held.sandbox)
      const refused = await placeFile(context, sql, locked, held.upload.path, blob)
      if (refused) throw new Fault(refused.code, refused.message)
      await spendUpload(sql, held)
    }),
  )
  return { size_bytes: blob.size_bytes, sha256: blob.sha256 }
}

/** What could not be kept as things stand is refused before it is sent; the end asks again, with the sandbox locked. */
async function refuseInVain(context: Context, request: FastifyRequest, { sandbox }: Claim): Promise<void> {
  await context.db.transaction(async (sql) => {
    const locked = await lockFreeSandbox(sql, sandbox)
    const bytes = Number(request.headers['content-length'] ?? 0)
    const problem = await quotaProblem(context, sql, locked, { bytes, entries: 1 })
    if (problem) throw new Fault(problem.code, problem.message)
  })
}

function faultOf(error: unknown): unknown {
  if (sqlState(error) !== lockNotAvailable) return error
  return new Fault('conflict', 'Another request is changing the same sandbox. Try again in a moment.', { cause: error })
}
