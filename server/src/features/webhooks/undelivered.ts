// Events that somebody still has to get, or may ask for again, are not erased, however old they are.
import { part } from '../../base/db.ts'

/** The ids of their rows. Each part goes by an index that has only such deliveries. */
export const undelivered = part`
  select batch_id from delivery_batches where has_waiting
  union all
  select x.id from (
    select event_id from deliveries where state in ('retrying', 'replaying', 'dead')
    union all
    select event_id from deliveries where state = 'new'
  ) d cross join lateral (values (d.event_id), (event_batch_id(d.event_id))) x (id)`
