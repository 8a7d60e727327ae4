// Connections that a builder may put into a draft, with the names of the tools that a person approved.
import { part } from '../../../base/db.ts'
import { isWanted, type Offer, type Offered } from '../../../kit/offers.ts'
import { mayUse } from './connectionRight.ts'

/** How many tools of one connection are named. */
const toolsMax = 20

export const offeredConnections: Offer = {
  kind: 'connections',
  noun: 'connection',
  where: 'under Connections',
  read: ({ sql, teamId, memberId, wanted, limit }) => sql<Offered>`
    select c.id, c.name, c.provider || coalesce('; tools: ' || (
        select string_agg(t.name, ', ' order by t.position) from (
          select name, position from connection_tools
          where connection_id = c.id and not is_gone and approved is not null order by position limit ${toolsMax}) t
      ), '') as says
    from connections c
    where c.team_id = ${teamId} and ${mayUse({ memberId })} and ${isWanted(part`c.name`, part`c.id`, wanted)}
    order by c.created_at desc, c.id desc limit ${limit}`,
}
