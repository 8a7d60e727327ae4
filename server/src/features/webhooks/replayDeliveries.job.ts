// Sends deliveries of a webhook again, some in each transaction, the oldest first.
import { announcing, part, type Part, type Sql } from '../../base/db.ts'
import { job } from '../../kit/job.ts'
import { Id, Type, type Static } from '../../kit/schema.ts'
import { setSinceApart } from './deliveryBatches.ts'
import { sentAgain } from './replay.ts'

const batch = 1000
/** How many batches of deliveries become rows of their own in one transaction, before they are sent again. */
const apartMax = 100

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

/** The deliveries that somebody asked for, of those that are rows of their own. */
export const askedFor = ({ team_id, subscription_id, since, asked_at, withheld = [] }: Asked): Part => part`
  deliveries where target_id = ${subscription_id} and team_id = ${team_id} and state in ('delivered', 'dead')
    and created_at >= ${since}::timestamptz and settled_at < ${asked_at}::timestamptz and event <> all(${withheld}::text[])`

export const replayDeliveries = job({
  name: 'replayDeliveries',
  input: Asked,
  safeToRepeat: 'only what was settled before it was asked for is taken, and what was taken is settled later if at all',
  async handler({ input, context, signal }) {
    for (let after: number | undefined = 0; after !== undefined;) {
      signal.throwIfAborted()
      after = await setSinceApart(context.db.sql, input, after, apartMax)
    }
    for (let after: number | undefined = 0; after !== undefined;) {
      // thrown, because whoever gets this job next must send the rest
      signal.throwIfAborted()
      after = await context.db.transaction((sql) => replaySome(sql, input, after!))
    }
  },
})

/**
 * Answers with the n of the last one; undefined: there are no more, or nothing is sent there any more. Deliveries of one batch have the same n:
 * more with that of the last one may follow, and those that were taken are not found again.
 */
async function replaySome(sql: Sql, asked: Asked, after: number): Promise<number | undefined> {
  // its lock also holds up whoever deletes the webhook, and drops what is not sent yet, and whoever turns it to another URL
  const [sendable] = await sql<{ withheld: string[] }>`
    update delivery_targets set retry_at = least(retry_at, now())
    where id = ${asked.subscription_id} and team_id = ${asked.team_id} and active and deleted_at is null returning withheld`
  if (!sendable) return undefined
  // its URL may have been set since it was asked for, by somebody who may read less
  const withheld = [...(asked.withheld ?? []), ...sendable.withheld]
  const replayed = await sql<{ n: number }>`${announcing}
    update deliveries set ${sentAgain} where id in (
      select id from ${askedFor({ ...asked, withheld })} and n >= ${after} order by n limit ${batch} for update)
    returning n`
  return replayed.length < batch ? undefined : Math.max(...replayed.map(({ n }) => n))
}
