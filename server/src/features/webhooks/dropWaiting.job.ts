// Drops what waits for a webhook that was deleted, a part at a time: there may be millions.
import { literals, part, type Part, type Sql } from '../../base/db.ts'
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'
import { waitingStates } from './delivery.ts'

const rowsAtOnce = 1000

export const dropWaiting = job({
  name: 'dropWaiting',
  input: Type.Object({ team_id: Id, subscription_id: Id }),
  safeToRepeat: 'what is dropped is not found a second time',
  handler: ({ input, sql, signal }) =>
    dropWaitingFor(sql, { id: input.subscription_id, team_id: input.team_id }, signal),
})

/** Condition on targets `t`: one look into an index each. With `exists` all that waits could be read for all targets at once. */
export const hasWaiting: Part = part`coalesce(
  (select true from delivery_batches where target_id = t.id and has_waiting limit 1),
  (select true from deliveries where target_id = t.id and state = 'new' limit 1),
  (select true from deliveries where target_id = t.id and state = 'retrying' limit 1),
  (select true from deliveries where target_id = t.id and state = 'replaying' limit 1), false)`

/** Whoever writes a result holds its delivery: such a one is left to the next sweep, and is not sent either. */
export async function dropWaitingFor(
  sql: Sql,
  target: { id: string; team_id: string },
  signal: AbortSignal,
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined;) {
    signal.throwIfAborted()
    after = await dropFromBatches(sql, target, after)
  }
  // each state by itself: no index has all of them
  for (const state of waitingStates) {
    for (let count = rowsAtOnce; count === rowsAtOnce;) {
      signal.throwIfAborted()
      const dropped = await sql`
        delete from deliveries where id = any(array(
          select id from deliveries where target_id = ${target.id} and team_id = ${target.team_id} and state = ${literals([state])}
          limit ${rowsAtOnce} for update skip locked))
        returning 1`
      count = dropped.length
    }
  }
}

/** Looks at the next batches behind `after`, so that no round looks again at what an earlier one dropped; answers with the n of the last. */
async function dropFromBatches(
  sql: Sql,
  target: { id: string; team_id: string },
  after: number,
): Promise<number | undefined> {
  const [dropped] = await sql<{ last: number | null; count: number }>`
    with next as materialized (
      select batch_id, n from delivery_batches
      where target_id = ${target.id} and team_id = ${target.team_id} and has_waiting and n > ${after}
      order by n limit ${rowsAtOnce} for update skip locked
    ),
    dropped as (
      update delivery_batches set waiting = waiting # waiting
      where target_id = ${target.id} and team_id = ${target.team_id} and batch_id = any(array(select batch_id from next))
    )
    select max(n) as last, count(*) as count from next`
  return dropped?.count === rowsAtOnce ? (dropped.last ?? undefined) : undefined
}
