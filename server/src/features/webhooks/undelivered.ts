// Events that somebody still has to get, or may ask for again, are not erased, however old they are.
import { part } from '../../base/db.ts'
import type { KeptEvents } from '../../kit/oldEvents.ts'

/** A delivery of its own names its event, and not the row that has it. */
export const undelivered: KeptEvents = ({ after, past }) => part`
  select batch_id from delivery_batches where has_waiting and batch_id > ${after} and batch_id < ${past}
  union all
  select x.id from deliveries d cross join lateral (values (d.event_id), (event_batch_id(d.event_id))) x (id)
  where d.state <> 'delivered' and d.event_id > ${after} and d.event_id < ${past}`
