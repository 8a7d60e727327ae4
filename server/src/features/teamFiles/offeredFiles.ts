// Files of the team that a builder may put into a draft.
import { part } from '../../base/db.ts'
import { isWanted, type Offer, type Offered } from '../../kit/offers.ts'

export const offeredFiles: Offer = {
  kind: 'files',
  noun: 'file',
  where: 'under Connections, Files',
  read: ({ sql, teamId, wanted, limit }) => sql<Offered>`
    select f.id, f.name, f.size_bytes || ' bytes' as says from team_files f
    where f.team_id = ${teamId} and ${isWanted(part`f.name`, part`f.id`, wanted)}
    order by f.updated_at desc, f.id desc limit ${limit}`,
}
