// Skills that a builder may put into a draft.
import { part } from '../../base/db.ts'
import { isWanted, type Offer, type Offered } from '../../kit/offers.ts'

export const offeredSkills: Offer = {
  kind: 'skills',
  noun: 'skill',
  where: 'under Connections, Skills',
  read: ({ sql, teamId, wanted, limit }) => sql<Offered>`
    select s.id, s.name, s.description as says from skills s
    where s.team_id = ${teamId} and ${isWanted(part`s.name`, part`s.id`, wanted)}
    order by s.created_at desc, s.id desc limit ${limit}`,
}
