// Mails that a member asks for: a test, and the mail that shows that an address is theirs. Bounded, since each reaches somebody outside.
import type { Config } from '../../base/config.ts'
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { mailColumns, type MemberMail } from './mail.ts'

const hourMax = 5
/** How many confirmations all teams together send to one address: anybody can claim to have it. */
const addressDayMax = 5

interface Ordered {
  teamId: string
  memberId: string
  purpose: 'test' | 'confirmation'
  address: string
}

/** Undefined: too many were asked for. */
export async function orderMail(
  { sql, config }: { sql: Sql; config: Config },
  { teamId, memberId, purpose, address }: Ordered,
): Promise<MemberMail | undefined> {
  // two orders at once are counted one after the other
  await sql`select id from members where id = ${memberId} and team_id = ${teamId} for no key update`
  const made = await one(sql<{ lately: number; of_team: number; to_address: number }>`
    select
      (select count(*) from mails where member_id = ${memberId} and team_id = ${teamId} and purpose = ${purpose}
        and created_at > now() - interval '1 hour') as lately,
      (select count(*) from mails where team_id = ${teamId} and created_at > now() - interval '1 hour') as of_team,
      (select count(*) from mails where purpose = 'confirmation' and lower(address) = lower(${address})
        and created_at > now() - interval '1 day') as to_address`)
  if (made.lately >= hourMax || made.of_team >= config.mailsPerTeamHour) return undefined
  if (purpose === 'confirmation' && made.to_address >= addressDayMax) return undefined
  return one(sql<MemberMail>`
    insert into mails as m (id, team_id, member_id, purpose, address)
    values (${newId()}, ${teamId}, ${memberId}, ${purpose}, ${address}) returning ${mailColumns}`)
}

export const tooMany = 'You have asked for too many of these mails. Look into your mailbox, and try again in an hour.'
