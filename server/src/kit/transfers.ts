// Uploads and downloads of files and pictures by signed URLs: teams take turns for the transfers of a process and for their statements.
//
// Such a request has no credential, so no rate limit counts it. The signed part of its URL contains its team, so the transfer gets its
// slot before it asks the database anything. A slot is held until the answer is sent or the caller is gone.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../base/errors.ts'
import { teamShare } from '../base/fairPool.ts'
import type { Context } from './context.ts'
import { requireSignature } from './signedUrl.ts'
import { dropWhenStalled } from './stalledReaders.ts'
import { teamDatabaseOf, type TeamDatabase } from './teamDatabase.ts'
import { teamTimeOf } from './teamTime.ts'
import { runningPart } from './runningPart.ts'
import { createSharedPool } from './sharedPools.ts'

/** How many transfers of one team may wait, per slot of the pool: each is a connection whose body is not read yet. */
const waitingPerSlot = 4
const waitMaxMs = 10_000

/** The transfers of this process. */
export const transfersOf = runningPart('transfers', (context) => {
  const { transfersMax: size, teamShare: percent } = context.config
  const perTeam = teamShare(size, percent)
  return createSharedPool(context, {
    name: 'file transfers',
    size,
    perTeam,
    waitingMax: size * waitingPerSlot,
    waitMaxMs,
  })
})

interface Transfer {
  /** The database as the URL's team uses it. */
  db: TeamDatabase
}

/** Refuses a URL that we did not sign, then waits for a slot. `secondsLeft`: how long the URL is still valid. */
export async function beginTransfer(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Transfer & { secondsLeft: number }> {
  const { secondsLeft } = requireSignature(context, request)
  // older URLs do not contain a team: all of them share what one team has
  const { team = '' } = request.query as { team?: string }
  return { ...(await beginTransferOf(context, team, reply)), secondsLeft }
}

/** Waits for a slot of this team, for a URL that was checked already. */
export async function beginTransferOf(context: Context, team: string, reply: FastifyReply): Promise<Transfer> {
  const left = new AbortController()
  const leave = () => left.abort(new Fault('invalid_request', 'The caller left before the transfer began.'))
  reply.raw.once('close', leave)
  if (reply.raw.destroyed) leave()
  await teamTimeOf(context).turn(team, { patienceMs: waitMaxMs })
  const release = await transfersOf(context).take(team, left.signal)
  if (left.signal.aborted) release()
  left.signal.throwIfAborted()
  for (const end of ['finish', 'close']) reply.raw.once(end, release)
  dropWhenStalled(reply.raw)
  return { db: teamDatabaseOf(context, team) }
}
