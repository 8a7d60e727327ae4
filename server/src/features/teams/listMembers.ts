// Lists the people of a team, oldest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { Member, memberColumns } from './member.ts'

export const listMembers = operation({
  id: 'listMembers',
  route: 'GET /v2/teams/:teamId/members',
  summary: 'List members',
  scope: 'team:read',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('members', Member),
  async handler({ team, query, sql }) {
    const from = part`members where team_id = ${team.id} and removed_at is null`
    const { rows, ...page } = await readPage<Member>(sql, { columns: memberColumns, from, order: part`id` }, query)
    return { members: rows, ...page }
  },
})
