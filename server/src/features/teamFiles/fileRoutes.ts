// PUT and GET /team-files/…: the bytes of a team's file by signed URLs, streamed.
import type { FastifyInstance } from 'fastify'
import { lockNotAvailable, retryingDeadlocks, sqlState } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { faultOf } from '../../kit/reply.ts'
import { announcedBytes, readPiecesFitting, refuseBody } from '../../kit/requestBody.ts'
import { sendStored } from '../../kit/storedFile.ts'
import { beginTransfer } from '../../kit/transfers.ts'
import { requireRoom, storeFile } from './storeFile.ts'

const uploadBytesMax = 1024 ** 3

export function mountTeamFiles(app: FastifyInstance, context: Context): void {
  app.put('/team-files/:team_id/upload', async (request, reply) => {
    try {
      const { db } = await beginTransfer(context, request, reply)
      // all of it is signed: it is what we wrote there
      const { team_id } = request.params as { team_id: string }
      const { name, member } = request.query as { name: string; member: string }
      // what cannot be there now is refused before it is sent; the check is repeated at the end
      const check = (bytes: number) => requireRoom(context, db.sql, team_id, { name, size_bytes: bytes, isAhead: true })
      await check(announcedBytes(request.raw.headers) ?? 0)
      const blob = await blobsFor(context, db.sql).putStream(readPiecesFitting(request, uploadBytesMax, check))
      const file = await retryingDeadlocks(() =>
        db.transaction((sql) => storeFile(context, sql, team_id, { name, ...blob, memberId: member })),
      )
      context.log.info({ request_id: request.id, team_id, file_id: file.id, ...blob }, 'team file uploaded')
      return await reply.code(201).send({ file, file_id: file.id })
    } catch (error) {
      throw refuseBody(request, refusalOf(error))
    }
  })
  app.get('/team-files/:file_id/:sha256/:name', async (request, reply) => {
    const { db, secondsLeft } = await beginTransfer(context, request, reply)
    const wanted = request.params as { file_id: string; sha256: string; name: string }
    const [blob] = await db.sql<{ size_bytes: number }>`
      select b.size_bytes from team_files f, blobs b where f.id = ${wanted.file_id} and b.sha256 = decode(${wanted.sha256}, 'hex')`
    if (!blob) throw new Fault('not_found', 'The file of this URL was deleted. List the files to see what is there.')
    return sendStored(context, db, request, reply, { ...wanted, sizeBytes: blob.size_bytes, secondsLeft })
  })
}

function refusalOf(error: unknown): unknown {
  if (sqlState(error) !== lockNotAvailable) return faultOf(error) ?? error
  return new Fault('conflict', 'Another request is changing the files of this team. Try again in a moment.', {
    cause: error,
  })
}
