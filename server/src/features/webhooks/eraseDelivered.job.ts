// Erases deliveries whose events were dropped with their partition, and that were not dropped with one of their own.
import type { Sql } from '../../base/db.ts'
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'

const rowsAtOnce = 5000
const noId = '00000000-0000-0000-0000-000000000000'

export const eraseDelivered = job({
  name: 'eraseDelivered',
  input: Type.Object({ past: Id }),
  safeToRepeat: 'what is erased is not found a second time',
  async handler({ input: { past }, sql, signal }) {
    for (const eraseSome of [eraseAlone, eraseBatches]) {
      for (let after: string | undefined = noId; after !== undefined;) {
        signal.throwIfAborted()
        after = await eraseSome(sql, past, after)
      }
    }
  },
})

/** Looks at the next rows of their own, by their key, since no index has just these; answers with the last one. */
async function eraseAlone(sql: Sql, past: string, after: string): Promise<string | undefined> {
  const seen = await sql<{ id: string }>`
    with seen as materialized (
      select id, event_id, state from deliveries where id > ${after} order by id limit ${rowsAtOnce}
    ),
    gone as (
      delete from deliveries where state = 'delivered' and id = any(array(
        select s.id from seen s where s.state = 'delivered' and s.event_id < ${past}
          and not exists (select from event_batches e where e.id = s.event_id)
          and not exists (select from event_batches e where e.id = event_batch_id(s.event_id))))
    )
    select id from seen order by id desc limit 1`
  return seen[0]?.id
}

/** The same for batches. Those of this time that are left had no partition of their own, or share one with younger ones. */
async function eraseBatches(sql: Sql, past: string, after: string): Promise<string | undefined> {
  const seen = await sql<{ id: string }>`
    with seen as materialized (
      select distinct batch_id as id from (
        select batch_id from delivery_batches where batch_id > ${after} and batch_id < ${past} order by batch_id limit ${rowsAtOnce}) next
    ),
    gone as (
      delete from delivery_batches where batch_id = any(array(
        select s.id from seen s where not exists (select from event_batches e where e.id = s.id))) and not has_waiting
    )
    select id from seen order by id desc limit 1`
  return seen[0]?.id
}
