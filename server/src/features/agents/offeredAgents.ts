// Agents that a builder may have another agent start, or listen to.
import { part } from '../../base/db.ts'
import { isWanted, type Offer, type Offered } from '../../kit/offers.ts'

export const offeredAgents: Offer = {
  kind: 'agents',
  noun: 'agent',
  where: 'under Agents',
  read: ({ sql, teamId, wanted, limit }) => sql<Offered>`
    select a.id, a.name, coalesce(a.description, '') as says from agents a
    where a.team_id = ${teamId} and a.deleted_at is null and not a.is_hidden and ${isWanted(part`a.name`, part`a.id`, wanted)}
    order by a.created_at desc, a.id desc limit ${limit}`,
}
