// Lists the people of a team, oldest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { roles } from '../../kit/scopes.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { Member, memberColumns } from './member.ts'

export const listMembers = operation({
  id: 'listMembers',
  client: 'members.list',
  route: 'GET /v2/teams/:teamId/members',
  summary: 'List members',
  scope: 'team:read',
  query: Type.Object({
    search: Type.Optional(searchField('name and email')),
    role: Type.Optional(oneOf(roles, { description: 'Only members with this role.' })),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('members', Member),
  async handler({ team, query, sql }) {
    const { role = null } = query
    const from = part`members where team_id = ${team.id} and removed_at is null
      and (${role}::text is null or role = ${role}) and ${hasWords(part`concat_ws(' ', name, email)`, query.search)}`
    const { rows, ...page } = await readPage<Member>(sql, { columns: memberColumns, from, order: part`id` }, query)
    return { members: rows, ...page }
  },
})
