// Erases deliveries whose events were dropped with their partition.
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'

const rowsAtOnce = 5000

export const eraseDelivered = job({
  name: 'eraseDelivered',
  input: Type.Object({ past: Id }),
  safeToRepeat: 'what is erased is not found a second time',
  async handler({ input, sql, signal }) {
    // by the key, since no index has these: each row is looked at once
    for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined;) {
      signal.throwIfAborted()
      const seen: { id: string }[] = await sql`
        with seen as materialized (
          select id, event_id, state from deliveries where id > ${after} order by id limit ${rowsAtOnce}
        ),
        gone as (
          delete from deliveries where state = 'delivered' and id = any(array(
            select s.id from seen s where s.state = 'delivered' and s.event_id < ${input.past}
              and not exists (select from event_batches e where e.id = s.event_id)
              and not exists (select from event_batches e where e.id = event_batch_id(s.event_id))))
        )
        select id from seen order by id desc limit 1`
      after = seen[0]?.id
    }
  },
})
