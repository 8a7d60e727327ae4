// Sends deliveries of a webhook again, some in each transaction, the oldest first.
import { announcing, part, type Part, type Sql } from '../../base/db.ts'
import { job, type JobCall } from '../../kit/job.ts'
import { Id, Type, type Static } from '../../kit/schema.ts'
import { setSinceApart, type Piece } from './deliveryBatches.ts'
import { sentAgain } from './replay.ts'

const batch = 1000
/** How many batches of deliveries become rows of their own in one transaction, before they are sent again. */
const apartMax = 100
/** How many rows of a team one statement reads: no index leads to those of one webhook, and it may be that none of them is asked for. */
const pieceMax = 10_000
const behindAll = Number.MAX_SAFE_INTEGER

const Asked = Type.Object({
  team_id: Id,
  subscription_id: Id,
  since: Type.String({ format: 'date-time' }),
  /** A time of the database's clock: what ended before it is sent again, and what was sent again since then is not. */
  asked_at: Type.String({ format: 'date-time' }),
  /** Kinds of events that whoever asked may not read, or the webhook does not get. Jobs of the release before do not have it. */
  withheld: Type.Optional(Type.Array(Type.String())),
})
type Asked = Static<typeof Asked>

/** Condition on deliveries that are rows of their own: somebody asked for them. */
export const isAskedFor = ({ team_id, subscription_id, since, asked_at, withheld = [] }: Asked): Part => part`
  target_id = ${subscription_id} and team_id = ${team_id} and state in ('delivered', 'dead')
    and created_at >= ${since}::timestamptz and settled_at < ${asked_at}::timestamptz and event <> all(${withheld}::text[])`

const declared = {
  input: Asked,
  safeToRepeat: 'only what was settled before it was asked for is taken, and what was taken is settled later if at all',
  handler: replayInPieces,
}

export const replayDeliveries = job({ name: 'replayDeliveries', ...declared })

/** The same where some kinds are withheld. Processes of the release before would send these too, so they must not know the name. */
export const replayReadable = job({ name: 'replayReadable', ...declared })

async function replayInPieces({ input, context: { db }, signal }: JobCall<Asked>): Promise<void> {
  for (let after = 0; after < behindAll;) {
    signal.throwIfAborted()
    const end = await endOfPiece(db.sql, part`delivery_batches`, input.team_id, after)
    after = await setSinceApart(db.sql, input, { after, end }, apartMax)
  }
  for (let after = 0; after < behindAll;) {
    // thrown, because whoever gets this job next must send the rest
    signal.throwIfAborted()
    const end = await endOfPiece(db.sql, part`deliveries`, input.team_id, after)
    after = await db.transaction((sql) => replaySome(sql, input, { after, end }))
  }
}

/** Finds the n up to which the next rows of a team are read. */
async function endOfPiece(sql: Sql, table: Part, teamId: string, after: number): Promise<number> {
  const [last] = await sql<{ n: number }>`
    select n from ${table} where team_id = ${teamId} and n > ${after} order by n limit 1 offset ${pieceMax - 1}`
  return last?.n ?? behindAll
}

/**
 * Answers with the n up to which it came; behind all: there are no more, or nothing is sent there any more. Deliveries of one batch have the same n:
 * more with that of the last one may follow, and those that were taken are not found again.
 */
async function replaySome(sql: Sql, asked: Asked, { after, end }: Piece): Promise<number> {
  // its lock also holds up whoever deletes the webhook, and drops what is not sent yet, and whoever turns it to another URL
  const [sendable] = await sql<{ withheld: string[] }>`
    update delivery_targets set retry_at = least(retry_at, now())
    where id = ${asked.subscription_id} and team_id = ${asked.team_id} and active and deleted_at is null returning withheld`
  if (!sendable) return behindAll
  // its URL may have been set since it was asked for, by somebody who may read less
  const withheld = [...(asked.withheld ?? []), ...sendable.withheld]
  const replayed = await sql<{ n: number }>`${announcing}
    update deliveries set ${sentAgain} where id in (
      select id from deliveries where ${isAskedFor({ ...asked, withheld })} and n >= ${after} and n <= ${end}
      order by n limit ${batch} for update)
    returning n`
  return replayed.length < batch ? end : Math.max(...replayed.map(({ n }) => n))
}
