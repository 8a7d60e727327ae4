// PUT /files/…/uploads/…: takes one large file by a signed URL, piece by piece.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { lockNotAvailable, retryingDeadlocks, sqlState } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { StoredBlob } from '../../../drivers/blobs/blobs.ts'
import { blobsFor } from '../../../kit/blobs.ts'
import type { Context } from '../../../kit/context.ts'
import { announcedBytes, readPiecesFitting, refuseBody } from '../../../kit/requestBody.ts'
import { faultOf } from '../../../kit/reply.ts'
import type { TeamDatabase } from '../../../kit/teamDatabase.ts'
import { beginTransfer } from '../../../kit/transfers.ts'
import { lockedColumns, type LockedSandbox } from '../workspace/changes.ts'
import { isThere, lockFreeSandbox } from '../workspace/sandbox.ts'
import { claimUpload, spendUpload, whileClaimed, type Claim, type Upload } from './uploadClaim.ts'
import { fileProblem, writeStoredFile } from '../workspace/writeFiles.ts'

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
  const pieces = readPiecesFitting(request, bytesMax, (bytes) => requireRoom(taking, bytes))
  const blob = await blobsFor(context, db.sql).putStream(pieces)
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

/** A file that cannot be there now is refused before it is sent; the check is repeated at the end, with the sandbox locked. */
async function refuseInVain(taking: Taking): Promise<void> {
  const { db, request, held } = taking
  await db.transaction((sql) => lockFreeSandbox(sql, held.sandbox))
  await requireRoom(taking, announcedBytes(request.raw.headers) ?? 0)
}

/** While bytes arrive nobody locks the sandbox. A run may have it meanwhile and give it back before they are all there. */
async function requireRoom({ context, db, held }: Taking, bytes: number): Promise<void> {
  const { sandbox_id, team_id } = held.sandbox
  const [sandbox] = await db.sql<LockedSandbox>`
    select ${lockedColumns} from sandboxes s where s.id = ${sandbox_id} and s.team_id = ${team_id} and ${isThere}`
  if (!sandbox) throw new Fault('not_found')
  const refused = await fileProblem(context, db.sql, sandbox, { path: held.upload.path, bytes, isAhead: true })
  if (refused) throw new Fault(refused.code, refused.message)
}

function refusalOf(error: unknown): unknown {
  if (sqlState(error) !== lockNotAvailable) return faultOf(error) ?? error
  return new Fault('conflict', 'Another request is changing the same sandbox. Try again in a moment.', { cause: error })
}
