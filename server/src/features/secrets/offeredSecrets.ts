// Secrets and logins that a builder may put into a draft: their names, never a value. Nothing is opened for it.
import { part } from '../../base/db.ts'
import { memberMayUse } from '../../engine/ledger/privateRight.ts'
import { isWanted, type Offer, type Offered } from '../../kit/offers.ts'

export const offeredSecrets: Offer = {
  kind: 'secrets',
  noun: 'secret',
  where: 'under Connections, Secrets',
  read: ({ sql, teamId, memberId, wanted, limit }) => sql<Offered>`
    select s.id, s.name, 'variables: ' || array_to_string(s.env_var_keys, ', ') as says from secrets s
    where s.team_id = ${teamId} and ${memberMayUse(part`s`, memberId)} and ${isWanted(part`s.name`, part`s.id`, wanted)}
    order by s.created_at desc, s.id desc limit ${limit}`,
}

/** A login is named by its domain; two for one domain are one name. */
export const offeredLogins: Offer = {
  kind: 'logins',
  noun: 'login',
  where: 'under Connections, Logins',
  read: ({ sql, teamId, memberId, wanted, limit }) => sql<Offered>`
    select distinct on (l.domain) l.id, l.domain as name,
      'fills in a user name and a password' || case when l.has_otp then ' and a one-time code' else '' end as says
    from logins l
    where l.team_id = ${teamId} and ${memberMayUse(part`l`, memberId)} and ${isWanted(part`l.domain`, part`l.id`, wanted)}
    order by l.domain, l.created_at desc, l.id desc limit ${limit}`,
}
