// PUT and GET /team-files/…: the bytes of a team's file by signed URLs, streamed.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { lockNotAvailable, part, retryingDeadlocks, sqlState } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { faultOf } from '../../kit/reply.ts'
import { announcedBytes, readPiecesFitting, refuseBody } from '../../kit/requestBody.ts'
import { sendStored } from '../../kit/storedFile.ts'
import type { TeamDatabase } from '../../kit/teamDatabase.ts'
import { beginTransfer } from '../../kit/transfers.ts'
import { claimUpload, spendUpload, whileClaimed, type Claim } from '../../kit/uploadClaim.ts'
import { requireRoom, storeFile } from './storeFile.ts'
import type { TeamFile } from './teamFile.ts'

const uploadBytesMax = 1024 ** 3
const table = part`team_file_uploads`

export function mountTeamFiles(app: FastifyInstance, context: Context): void {
  app.put('/team-files/:team_id/upload', async (request, reply) => {
    try {
      const { db } = await beginTransfer(context, request, reply)
      // all of it is signed: it is what we wrote there
      const { team_id } = request.params as { team_id: string }
      const { name, member, upload } = request.query as { name: string; member: string; upload?: string }
      // the release before makes URLs without an upload
      const held = upload === undefined ? undefined : await claimUpload(db.sql, { table, id: upload, teamId: team_id })
      const take = () => takeFile({ context, db, request, teamId: team_id, name, memberId: member, held })
      const file = held ? await whileClaimed(context, held, take) : await take()
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

interface Taking {
  context: Context
  db: TeamDatabase
  request: FastifyRequest
  teamId: string
  name: string
  memberId: string
  held: Claim | undefined
}

/** What cannot be there now is refused before it is sent; the check is repeated at the end. */
async function takeFile({ context, db, request, teamId, name, memberId, held }: Taking): Promise<TeamFile> {
  const check = (bytes: number) => requireRoom(context, db.sql, teamId, { name, size_bytes: bytes, isAhead: true })
  await check(announcedBytes(request.raw.headers) ?? 0)
  const blob = await blobsFor(context, db.sql).putStream(readPiecesFitting(request, uploadBytesMax, check))
  const file = await retryingDeadlocks(() =>
    db.transaction(async (sql) => {
      const stored = await storeFile(context, sql, teamId, { name, ...blob, memberId })
      if (held) await spendUpload(sql, held)
      return stored
    }),
  )
  context.log.info({ request_id: request.id, team_id: teamId, file_id: file.id, ...blob }, 'team file uploaded')
  return file
}

function refusalOf(error: unknown): unknown {
  if (sqlState(error) !== lockNotAvailable) return faultOf(error) ?? error
  return new Fault('conflict', 'Another request is changing the files of this team. Try again in a moment.', {
    cause: error,
  })
}
