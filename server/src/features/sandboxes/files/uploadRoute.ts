// PUT /files/…/uploads/…: takes one large file by a signed URL, piece by piece.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { lockNotAvailable, part, retryingDeadlocks, sqlState, type Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { StoredBlob } from '../../../drivers/blobs/blobs.ts'
import { blobsFor } from '../../../kit/blobs.ts'
import type { Context } from '../../../kit/context.ts'
import { announcedBytes, readPiecesFitting, refuseBody } from '../../../kit/requestBody.ts'
import { faultOf } from '../../../kit/reply.ts'
import type { TeamDatabase } from '../../../kit/teamDatabase.ts'
import { beginTransfer } from '../../../kit/transfers.ts'
import { claimUpload, spendUpload, whileClaimed, type Claim } from '../../../kit/uploadClaim.ts'
import { lockedColumns, type LockedSandbox } from '../workspace/changes.ts'
import { isThere, lockFreeSandbox, sandboxColumns, type FoundSandbox } from '../workspace/sandbox.ts'
import { fileProblem, writeStoredFile } from '../workspace/writeFiles.ts'

export function mountUploads(app: FastifyInstance, context: Context): void {
  app.put('/files/:sandbox_id/uploads/:upload_id', async (request, reply) => {
    try {
      const { db } = await beginTransfer(context, request, reply)
      const { upload, bytesMax } = uploadOf(request)
      const sandbox = await sandboxOf(db.sql, upload)
      const { team_id, sandbox_id } = sandbox
      const held = await claimUpload(db.sql, { table: part`file_uploads`, id: upload.id, teamId: team_id })
      const { path } = upload
      const stored = await whileClaimed(context, held, () =>
        takeFile({ context, db, request, sandbox, path, held, bytesMax }),
      )
      context.log.info(
        { request_id: request.id, team_id, sandbox_id, upload_id: upload.id, ...stored },
        'file uploaded',
      )
      return await reply.code(201).send({ path, ...stored })
    } catch (error) {
      throw refuseBody(request, refusalOf(error))
    }
  })
}

/** What the signed URL says. */
interface Upload {
  id: string
  sandboxId: string
  path: string
}

/** All of it is signed: it is what we wrote there. */
function uploadOf(request: FastifyRequest): { upload: Upload; bytesMax: number } {
  const { sandbox_id, upload_id } = request.params as { sandbox_id: string; upload_id: string }
  const { path, bytes_max } = request.query as { path: string; bytes_max: string }
  return { upload: { id: upload_id, sandboxId: sandbox_id, path }, bytesMax: Number(bytes_max) }
}

async function sandboxOf(sql: Sql, { id, sandboxId, path }: Upload): Promise<FoundSandbox> {
  const [sandbox] = await sql<FoundSandbox>`
    select ${sandboxColumns}, s.team_id from file_uploads u join sandboxes s on s.id = u.sandbox_id and s.team_id = u.team_id
    where u.id = ${id} and u.sandbox_id = ${sandboxId} and u.path = ${path} and ${isThere}`
  if (sandbox) return sandbox
  throw new Fault('not_found', 'The sandbox of this upload URL was deleted. Create another sandbox.')
}

interface Taking {
  context: Context
  db: TeamDatabase
  request: FastifyRequest
  sandbox: FoundSandbox
  path: string
  held: Claim
  bytesMax: number
}

/** The bytes are stored before the workspace refers to them: whoever sees the file finds all of it. */
async function takeFile(taking: Taking): Promise<Pick<StoredBlob, 'sha256' | 'size_bytes'>> {
  const { context, db, request, sandbox, path, held, bytesMax } = taking
  await refuseInVain(taking)
  const pieces = readPiecesFitting(request, bytesMax, (bytes) => requireRoom(taking, bytes))
  const blob = await blobsFor(context, db.sql).putStream(pieces)
  await retryingDeadlocks(() =>
    db.transaction(async (sql) => {
      const locked = await lockFreeSandbox(sql, sandbox)
      const refused = await writeStoredFile(context, sql, locked, path, blob)
      if (refused) throw new Fault(refused.code, refused.message)
      await spendUpload(sql, held)
    }),
  )
  return { size_bytes: blob.size_bytes, sha256: blob.sha256 }
}

/** A file that cannot be there now is refused before it is sent; the check is repeated at the end, with the sandbox locked. */
async function refuseInVain(taking: Taking): Promise<void> {
  const { db, request, sandbox } = taking
  await db.transaction((sql) => lockFreeSandbox(sql, sandbox))
  await requireRoom(taking, announcedBytes(request.raw.headers) ?? 0)
}

/** While bytes arrive nobody locks the sandbox. A run may have it meanwhile and give it back before they are all there. */
async function requireRoom({ context, db, sandbox, path }: Taking, bytes: number): Promise<void> {
  const { sandbox_id, team_id } = sandbox
  const [now] = await db.sql<LockedSandbox>`
    select ${lockedColumns} from sandboxes s where s.id = ${sandbox_id} and s.team_id = ${team_id} and ${isThere}`
  if (!now) throw new Fault('not_found')
  const refused = await fileProblem(context, db.sql, now, { path, bytes, isAhead: true })
  if (refused) throw new Fault(refused.code, refused.message)
}

function refusalOf(error: unknown): unknown {
  if (sqlState(error) !== lockNotAvailable) return faultOf(error) ?? error
  return new Fault('conflict', 'Another request is changing the same sandbox. Try again in a moment.', { cause: error })
}
