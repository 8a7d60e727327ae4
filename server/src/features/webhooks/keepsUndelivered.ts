// Events that somebody still has to get, or may ask for again, are not erased, however old they are.
import { part } from '../../base/db.ts'

export const keepsUndelivered = part`
  exists (select from delivery_batches b where b.batch_id = event_batches.id and b.has_waiting)
  or exists (
    select from delivery_targets t
    cross join lateral event_places(event_batches.id, event_batches.last, event_batches.kinds) e
    join deliveries d on d.id = delivery_id(e.id, t.id)
    where t.team_id = event_batches.team_id and d.state <> 'delivered')`
