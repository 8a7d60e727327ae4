// Makes notices of what happened: one for each member who wants to be notified of it and may know it.
import { part, type Part, type Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { kinds, rolesFor, type ChoicesRow, type Kind } from './choices.ts'
import { dueTime } from './dueTimes.ts'
import { isConfirmed } from './recipient.ts'

const happeningsAtOnce = 50
/** How long the same failing subscription is not told again to the same member: deliveries may fail and succeed in turns. */
const sameDeliveryHours = 6

interface Claimed {
  id: number
  team_id: string
  kind: Kind
  subject_id: string
}

interface Recipient extends ChoicesRow {
  happening_id: number
  member_id: string
  now: Date
}

interface NewNotice {
  team_id: string
  member_id: string
  kind: Kind
  subject_id: string
  due_at: Date
}

/**
 * One transaction takes happenings away and writes their notices: a process that dies in it leaves both as they were. Returns how many it
 * took.
 */
export async function spreadHappenings({ db }: Context): Promise<number> {
  return db.transaction(async (sql) => {
    const claimed = await claimHappenings(sql, happeningsAtOnce)
    const recipients = claimed.length === 0 ? [] : await readRecipients(sql, claimed)
    const byId = new Map(claimed.map((one) => [one.id, one]))
    const notices = recipients.flatMap((recipient): NewNotice[] => {
      const { team_id, kind, subject_id } = byId.get(recipient.happening_id)!
      const due = dueTime(recipient, kind, recipient.now)
      return due ? [{ team_id, member_id: recipient.member_id, kind, subject_id, due_at: due }] : []
    })
    if (notices.length > 0) await insertNotices(sql, notices)
    return claimed.length
  })
}

/** The same number for each team that waits; the recursion goes from team to team by the index. */
const claimHappenings = (sql: Sql, max: number): Promise<Claimed[]> => sql<Claimed>`
  with recursive team as (
    (select team_id from happenings order by team_id limit 1)
    union all
    select (select next.team_id from happenings next where next.team_id > team.team_id order by next.team_id limit 1)
    from team where team.team_id is not null
  ),
  turn as materialized (
    select team_id, greatest(1, ${max}::int / count(*) over ()) as rows from team where team_id is not null order by random()
  ),
  due as materialized (
    select h.id from turn, lateral (
      select id from happenings where team_id = turn.team_id order by id limit turn.rows for update skip locked) h
    limit ${max}
  )
  delete from happenings h using due where h.id = due.id returning h.id, h.team_id, h.kind, h.subject_id`

/** SQL condition on the happening `h` and the member `m`. */
const mayKnow: Record<Kind, Part> = {
  human_requests: part`exists (
    select from human_requests r where r.id = h.subject_id and r.team_id = h.team_id and r.status = 'pending'
      and coalesce(r.assignee_user_id = m.id, m.role = any(${rolesFor('human_requests')}::text[]))
      and (r.hidden_agent_id is null or coalesce(artifact_reader(r.hidden_agent_id) = m.id, true)))`,
  // runs behind artifacts are shown with their artifact
  failed_runs: part`m.role = any(${rolesFor('failed_runs')}::text[]) and exists (
    select from runs r where r.id = h.subject_id and r.team_id = h.team_id and r.status = 'failed' and r.source <> 'artifact')`,
  // a private one is of use to its maker alone
  connections: part`m.role = any(${rolesFor('connections')}::text[]) and exists (
    select from connections n where n.id = h.subject_id and n.team_id = h.team_id and n.status = 'action_required'
      and (n.shared or n.user_id = m.id))`,
  deliveries: part`m.role = any(${rolesFor('deliveries')}::text[]) and not exists (
    select from notices n where n.member_id = m.id and n.subject_id = h.subject_id
      and n.created_at > now() - make_interval(hours => ${sameDeliveryHours}))`,
  // a rule may name whom it tells
  alerts: part`m.role = any(${rolesFor('alerts')}::text[]) and exists (
    select from alert_tellings t join alert_incidents i on i.id = t.incident_id
    where t.id = h.subject_id and t.team_id = h.team_id and (i.tells is null or m.id = any(i.tells)))`,
}

const readRecipients = (sql: Sql, claimed: Claimed[]): Promise<Recipient[]> => sql<Recipient>`
  select h.id as happening_id, c.member_id, c.mail, c.browser, c.time_zone, c.digest_minute, c.quiet_from, c.quiet_until,
    now()::timestamptz(3) as now
  from json_to_recordset(${JSON.stringify(claimed)}::json) as h (id bigint, team_id uuid, kind text, subject_id uuid)
  join notification_choices c on c.team_id = h.team_id and (c.wants_mail or c.wants_alerts)
  join members m on m.id = c.member_id and m.removed_at is null
  where ${isConfirmed} and (${kinds.map((kind) => part`h.kind = ${kind} and ${mayKnow[kind]}`).reduce((all, one) => part`${all} or ${one}`)})
  order by h.id`

const insertNotices = (sql: Sql, notices: NewNotice[]): Promise<unknown> => sql`
  insert into notices (team_id, member_id, kind, subject_id, due_at)
  select n.team_id, n.member_id, n.kind, n.subject_id, n.due_at
  from json_to_recordset(${JSON.stringify(notices)}::json) as n (
    team_id uuid, member_id uuid, kind text, subject_id uuid, due_at timestamptz)
  on conflict (member_id, subject_id) where kind = 'human_requests' do nothing`

/** What waits to be told goes by the choices that the member has now. */
export async function rescheduleNotices(
  sql: Sql,
  teamId: string,
  memberId: string,
  choices: ChoicesRow,
): Promise<void> {
  const [clock] = await sql<{ now: Date }>`select now()::timestamptz(3) as now`
  const due = kinds.map((kind) => ({ kind, due_at: dueTime(choices, kind, clock!.now) ?? null }))
  const off = due.filter(({ due_at }) => due_at === null).map(({ kind }) => kind)
  await sql`
    delete from notices where member_id = ${memberId} and team_id = ${teamId} and due_at is not null and kind = any(${off}::text[])`
  await sql`
    update notices n set due_at = d.due_at
    from json_to_recordset(${JSON.stringify(due)}::json) as d (kind text, due_at timestamptz)
    where n.member_id = ${memberId} and n.team_id = ${teamId} and n.due_at is not null and n.kind = d.kind and n.doubted_mail_id is null`
}
