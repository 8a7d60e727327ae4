// Lists the people of a team, oldest first.
import { operation } from '../../kit/operation.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { Member } from './member.ts'

export const listMembers = operation({
  id: 'listMembers',
  route: 'GET /v2/teams/:teamId/members',
  summary: 'List members',
  scope: 'team:read',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('members', Member),
  async handler({ team, query: { limit, offset }, sql }) {
    const members = await sql<Member>`
      select id, team_id, name, email, role, created_at, updated_at
      from members where team_id = ${team.id} and removed_at is null order by id limit ${limit} offset ${offset}`
    const [count] = await sql<{ total: number }>`
      select count(*) as total from members where team_id = ${team.id} and removed_at is null`
    return { members, total: count!.total, limit, offset }
  },
})
