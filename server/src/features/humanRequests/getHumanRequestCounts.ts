// Counts the open human requests that the caller may see: what the badge of an inbox and its filters show.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { nullable, Time, Type } from '../../kit/schema.ts'
import { requestTypes } from '../../kit/states.ts'
import { isInInboxOf } from './humanRequest.ts'

const count = Type.Integer({ minimum: 0 })

export const getHumanRequestCounts = operation({
  id: 'getHumanRequestCounts',
  client: 'humanRequests.counts',
  route: 'GET /v2/teams/:teamId/human-request-counts',
  summary: 'Count open human requests',
  description: 'The pending requests of the inbox by type and by whom they are assigned to, with the next deadline.',
  scope: 'runs:read',
  status: 200,
  answer: Type.Object({
    total: count,
    by_type: Type.Object(Object.fromEntries(requestTypes.map((type) => [type, count]))),
    assigned_to_me: count,
    unassigned: count,
    oldest_at: nullable(Time),
    next_deadline_at: nullable(Time),
  }),
  async handler({ team, caller, sql }) {
    const { by_type, ...counted } = await one(sql<Counted>`
      with open as materialized (
        select type, assignee_user_id, created_at, expires_at from human_requests
        where team_id = ${team.id} and status = 'pending' and ${isInInboxOf(caller.member_id)}
      )
      select count(*) as total, count(*) filter (where assignee_user_id = ${caller.member_id}) as assigned_to_me,
        count(*) filter (where assignee_user_id is null) as unassigned, min(created_at) as oldest_at, min(expires_at) as next_deadline_at,
        (select coalesce(jsonb_object_agg(type, n), '{}') from (select type, count(*) as n from open group by type) typed) as by_type
      from open`)
    const types = Object.fromEntries(requestTypes.map((type) => [type, by_type[type] ?? 0]))
    return { ...counted, by_type: types }
  },
})

interface Counted {
  total: number
  by_type: Record<string, number>
  assigned_to_me: number
  unassigned: number
  oldest_at: Date | null
  next_deadline_at: Date | null
}
