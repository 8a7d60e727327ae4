// Events that somebody still has to get, or may ask for again, are not erased, however old they are.
import { part } from '../../base/db.ts'

export const keepsUndelivered = part`
  exists (
    select from delivery_targets t join deliveries d on d.id = delivery_id(events.id, t.id)
    where t.team_id = events.team_id and d.state <> 'delivered')`
