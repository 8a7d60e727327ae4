// The rows of mails: how they are made from notices, taken, ended and settled. Each step is one statement that expects the step before it.
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { leaseUntil } from '../../kit/lease.ts'
import type { MemberMail } from './mail.ts'

/** How many members get a mail in one statement, and how many things one mail tells. */
const membersAtOnce = 50
const noticesMax = 50

/** After a mail in doubt, what is still so is sent once more, in another mail. */
const doubtWait = part`interval '15 minutes'`
/** News that could not be sent for this long is no longer news. */
const givenUpAfter = part`interval '1 day'`

/**
 * Makes a mail for each member for whom something is due, unless they had one a moment ago or their team has used up its hour: one member of
 * each team, then the next. The recursion goes from member to member by the index, and mails are counted once for each team, so what waits for a
 * later hour costs the same however many notices it is. The row of a member's choices is locked, so two processes make no two mails of the same
 * notices. Returns how many it made.
 */
export async function formMails(sql: Sql, limits: { gapS: number; perTeamHour: number }): Promise<number> {
  const ids = Array.from({ length: membersAtOnce }, newId)
  const made = await sql`
    with recursive waiting as (
      (select member_id, due_at from notices where due_at is not null order by member_id, due_at limit 1)
      union all
      select next.member_id, next.due_at from waiting, lateral (
        select n.member_id, n.due_at from notices n where n.due_at is not null and n.member_id > waiting.member_id
        order by n.member_id, n.due_at limit 1) next
    ),
    ready as materialized (
      select c.member_id, c.team_id, row_number() over (partition by c.team_id order by waiting.due_at) as turn
      from waiting join notification_choices c on c.member_id = waiting.member_id
      where waiting.due_at <= now() and (c.mailed_at is null or c.mailed_at <= now() - make_interval(secs => ${limits.gapS}))
    ),
    open as materialized (
      select team_id, ${limits.perTeamHour}::int - sent.count as places from (select distinct team_id from ready) team, lateral (
        select count(*) from (
          select from mails m where m.team_id = team.team_id and m.created_at > now() - interval '1 hour' limit ${limits.perTeamHour}) of_hour) sent
    ),
    due as materialized (
      select ready.member_id from ready join open on open.team_id = ready.team_id and ready.turn <= open.places
      order by ready.turn limit ${membersAtOnce}
    ),
    member as materialized (
      select c.member_id, c.team_id from due join notification_choices c on c.member_id = due.member_id for update of c skip locked
    ),
    numbered as materialized (
      select member_id, team_id, (${ids}::uuid[])[row_number() over ()] as mail_id from member
    ),
    picked as materialized (
      select o.id, numbered.mail_id from numbered, lateral (
        select n.id from notices n where n.member_id = numbered.member_id and n.due_at <= now() order by n.due_at, n.id limit ${noticesMax}) o
    ),
    taken as (
      update notices n set mail_id = picked.mail_id, due_at = null from picked where n.id = picked.id and n.due_at is not null
      returning n.mail_id
    ),
    noted as (
      update notification_choices c set mailed_at = now() from numbered
      where c.member_id = numbered.member_id and numbered.mail_id in (select mail_id from taken)
    )
    insert into mails (id, team_id, member_id, purpose, address)
    select numbered.mail_id, numbered.team_id, numbered.member_id, 'news', coalesce(m.email, '')
    from numbered join members m on m.id = numbered.member_id where numbered.mail_id in (select mail_id from taken)
    returning id`
  return made.length
}

export interface TakenMail {
  id: string
  team_id: string
  member_id: string
  purpose: MemberMail['purpose']
  address: string
  attempts: number
  created_at: Date
  /** Whether it may still be sent to this address. */
  is_theirs: boolean
}

/**
 * Takes one mail of each waiting team that has a slot left, the teams in no order, up to `max`. The holder has it until the lease ends, or
 * until somebody notices its death.
 */
export const takeMails = (
  sql: Sql,
  { worker, max, leaseS, fullTeams }: { worker: string; max: number; leaseS: number; fullTeams: string[] },
): Promise<TakenMail[]> => sql<TakenMail>`
  with recursive team as (
    (select team_id from mails where state = 'due' order by team_id limit 1)
    union all
    select (select next.team_id from mails next where next.state = 'due' and next.team_id > team.team_id order by next.team_id limit 1)
    from team where team.team_id is not null
  ),
  turn as materialized (
    select team_id from team where team_id is not null and team_id <> all(${fullTeams}::uuid[]) order by random()
  ),
  chosen as materialized (
    select d.id from turn, lateral (
      select id from mails where state = 'due' and team_id = turn.team_id and due_at <= now() order by due_at limit 1
      for update skip locked) d
    limit ${max}
  )
  update mails m set state = 'sending', worker = ${worker}, held_until = ${leaseUntil(leaseS)}, attempts = m.attempts + 1
  from chosen, members p
  where m.id = chosen.id and m.state = 'due' and p.id = m.member_id
  returning m.id, m.team_id, m.member_id, m.purpose, m.address, m.attempts, m.created_at,
    p.removed_at is null and lower(p.email) = lower(m.address)
      and (m.purpose = 'confirmation' or lower(p.verified_email) = lower(p.email)) as is_theirs`

/** From here on the mail may have been accepted. False: it is not this process's any more, and its end must not be sent. */
export async function beginEnding(sql: Sql, mail: TakenMail, worker: string): Promise<boolean> {
  const ours = await sql`
    update mails set state = 'ending'
    where id = ${mail.id} and state = 'sending' and worker = ${worker} and attempts = ${mail.attempts} and held_until > now()
    returning id`
  return ours.length > 0
}

/** The mail server took it. It counts also when somebody put the mail in doubt in the meantime; then nothing is sent again. */
export async function markSent(sql: Sql, mail: TakenMail): Promise<void> {
  await sql`
    with sent as (
      update mails set state = 'sent', worker = null, held_until = null, problem = null, settled_at = now()
      where id = ${mail.id} and attempts = ${mail.attempts} and state in ('ending', 'in_doubt') returning id
    )
    update notices n set due_at = null, mail_id = n.doubted_mail_id, doubted_mail_id = null
    from sent where n.doubted_mail_id = sent.id and n.due_at is not null`
}

/** It was certainly not accepted: it is sent again after `waitS`, unless it is too old. */
export async function putBack(
  sql: Sql,
  mail: TakenMail,
  worker: string,
  problem: string,
  waitS: number,
): Promise<void> {
  await sql`
    update mails set state = case when created_at < now() - ${givenUpAfter} then 'failed' else 'due' end, worker = null, held_until = null,
      due_at = now() + make_interval(secs => ${waitS}), problem = ${problem},
      settled_at = case when created_at < now() - ${givenUpAfter} then now() end
    where id = ${mail.id} and worker = ${worker} and attempts = ${mail.attempts} and state in ('sending', 'ending')`
}

/** Settles a mail that is not sent: the server refused it for good, or there is nothing to tell. */
export async function endMail(
  sql: Sql,
  mail: TakenMail,
  worker: string,
  { state, problem }: { state: 'failed' | 'dropped'; problem: string | null },
): Promise<void> {
  await sql`
    update mails set state = ${state}, worker = null, held_until = null, problem = ${problem}, settled_at = now()
    where id = ${mail.id} and worker = ${worker} and attempts = ${mail.attempts} and state in ('sending', 'ending')`
}

const inDoubt =
  'The process or the connection ended in the moment in which the mail server decided. It may have arrived, and is not sent again.'

/**
 * Settles mails whose holder is gone (`worker` is dead), lost its connection (`mailId`), or let its lease end. What was not ended cannot
 * have been accepted and is sent again. What was ended is in doubt: it is never sent again, and what it said is sent once more, later and
 * only if it is still so (decision 0044).
 */
export async function settleLost(sql: Sql, lost: { worker?: string; mailId?: string }): Promise<void> {
  await sql`
    with settled as (
      update mails m set state = case m.state when 'sending' then 'due' else 'in_doubt' end, worker = null, held_until = null,
        problem = case m.state when 'sending' then m.problem else ${inDoubt} end,
        settled_at = case m.state when 'sending' then null else now() end
      where m.state in ('sending', 'ending') and (
        m.worker = ${lost.worker ?? null}::uuid or m.id = ${lost.mailId ?? null}::uuid
        or (${lost.worker === undefined && lost.mailId === undefined}::boolean and m.held_until <= now()))
      returning m.id, m.state
    )
    update notices n set due_at = now() + ${doubtWait}, doubted_mail_id = n.mail_id, mail_id = null
    from settled where settled.state = 'in_doubt' and n.mail_id = settled.id and n.doubted_mail_id is null`
}
