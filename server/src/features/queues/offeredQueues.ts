// Queues whose cases a builder may have an agent work on.
import { part } from '../../base/db.ts'
import { isWanted, type Offer, type Offered } from '../../kit/offers.ts'

export const offeredQueues: Offer = {
  kind: 'queues',
  noun: 'queue',
  where: 'under Queues',
  read: ({ sql, teamId, wanted, limit }) => sql<Offered>`
    select q.id, q.name, coalesce(q.description, '') as says from queues q
    where q.team_id = ${teamId} and ${isWanted(part`q.name`, part`q.id`, wanted)}
    order by q.created_at desc, q.id desc limit ${limit}`,
}
