// What the notices of a mail tell, as it is now: what is no longer so is left out.
import { part, type Sql } from '../../base/db.ts'
import { oneLine } from '../../base/oneLine.ts'
import { countingApprovals } from '../../engine/requests/humanRequests.ts'
import { kinds, type Kind } from './choices.ts'
import { readIncidentNews } from './incidentNews.ts'

/** One line of a mail. Its texts are those of agents and members. */
export interface NewsItem {
  kind: Kind
  title: string
  /** What else there is to know, in a few words. */
  detail: string
  /** Where the console shows it. */
  path: string
  created_at: Date
  /** The mail that may have told it already. */
  doubted_mail_id: string | null
}

interface Notice {
  kind: Kind
  subject_id: string
  created_at: Date
  doubted_mail_id: string | null
}

interface Found {
  id: string
  title: string
  about: string
  more: string | null
  /** Where the console shows it, if its own id does not say. */
  path?: string
}

const titleMax = 200
const detailMax = 300

export async function readNews(
  sql: Sql,
  { teamId, memberId, mailId }: { teamId: string; memberId: string; mailId: string },
): Promise<NewsItem[]> {
  const notices = await sql<Notice>`
    select kind, subject_id, created_at, doubted_mail_id from notices
    where mail_id = ${mailId} and member_id = ${memberId} and team_id = ${teamId} order by created_at, id`
  const items: NewsItem[] = []
  for (const kind of kinds) {
    const told = notices.filter((notice) => notice.kind === kind)
    if (told.length === 0) continue
    const found = await readers[kind]({ sql, teamId, memberId, ids: told.map(({ subject_id }) => subject_id) })
    const byId = new Map(found.map((one) => [one.id, one]))
    for (const { subject_id, created_at, doubted_mail_id } of told) {
      const now = byId.get(subject_id)
      if (!now) continue
      items.push({
        kind,
        title: shown(now.title, titleMax),
        detail: [now.about, now.more].flatMap((text) => (text ? shown(text, detailMax) : [])).join('. '),
        path: now.path ?? pathOf[kind](subject_id),
        created_at,
        doubted_mail_id,
      })
    }
  }
  return items
}

/** One line without anything invisible that could turn the text around. */
const shown = (text: string, max: number): string =>
  oneLine(text.slice(0, max * 4).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' '), max)

const pathOf: Record<Kind, (id: string) => string> = {
  human_requests: (id) => `/inbox?request=${id}`,
  failed_runs: (id) => `/runs/${id}`,
  connections: (id) => `/connections/${id}`,
  deliveries: (id) => `/events?tab=deliveries&receiver=${id}`,
  alerts: () => '/alerts',
}

interface Asked {
  sql: Sql
  teamId: string
  memberId: string
  ids: string[]
}

/** Each reads only what is still so. */
const readers: Record<Kind, (asked: Asked) => Promise<Found[]>> = {
  human_requests: ({ sql, teamId, memberId, ids }) => sql<Found>`
    select h.id, h.title, a.name || ', run ' || r.run_number as about,
      coalesce('Until ' || to_char(h.expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC',
        case when h.approvals_needed > 1 and jsonb_array_length(${countingApprovals(part`h`)}) > 0 then 'One more approval is needed'
          when h.approvals_needed > 1 then 'Two people must approve' end) as more
    from human_requests h join runs r on r.id = h.run_id join agents a on a.id = r.agent_id
    where h.id = any(${ids}::uuid[]) and h.team_id = ${teamId} and h.status = 'pending'
      and coalesce(h.assignee_user_id = ${memberId}, true)
      and not h.approvals @> jsonb_build_array(jsonb_build_object('user_id', ${memberId}::uuid))`,
  failed_runs: ({ sql, teamId, ids }) => sql<Found>`
    select r.id, r.title, a.name || ', run ' || r.run_number as about, r.error ->> 'message' as more
    from runs r join agents a on a.id = r.agent_id
    where r.id = any(${ids}::uuid[]) and r.team_id = ${teamId} and r.status = 'failed'`,
  connections: ({ sql, teamId, ids }) => sql<Found>`
    select n.id, n.name as title, n.provider as about, n.broken_reason as more from connections n
    where n.id = any(${ids}::uuid[]) and n.team_id = ${teamId} and n.status = 'action_required'`,
  async deliveries({ sql, teamId, ids }) {
    const rows = await sql<{ id: string; url: string; failures: number; disabled_reason: string | null }>`
      select t.id, t.url, t.failures, t.disabled_reason from delivery_targets t
      where t.id = any(${ids}::uuid[]) and t.team_id = ${teamId} and t.deleted_at is null
        and (t.failures >= 5 or t.disabled_at is not null)`
    return rows.map(({ id, url, failures, disabled_reason }) => ({
      id,
      // the path and the query of a URL may hold a secret
      title: URL.parse(url)?.host ?? 'a webhook',
      about: disabled_reason === null ? `${failures} failures in a row` : 'Disabled',
      more: disabled_reason,
    }))
  },
  alerts: readIncidentNews,
}
