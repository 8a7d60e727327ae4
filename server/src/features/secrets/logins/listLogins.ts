// Lists a team's logins, newest first.
import { part } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../../kit/paging.ts'
import { Type } from '../../../kit/schema.ts'
import { hasWords, searchField } from '../../../kit/search.ts'
import { Login, loginColumns } from './login.ts'

export const listLogins = operation({
  id: 'listLogins',
  client: 'logins.list',
  route: 'GET /v2/teams/:teamId/logins',
  summary: 'List logins',
  description: 'Their domains and user names; no password and no seed is ever shown.',
  scope: 'agents:read',
  query: Type.Object({ search: Type.Optional(searchField('domain and username')), ...paging(100, 100) }),
  status: 200,
  answer: pageOf('logins', Login),
  async handler({ team, query, sql }) {
    const from = part`logins l where l.team_id = ${team.id}
      and ${hasWords(part`concat_ws(' ', l.domain, l.username)`, query.search)}`
    const list = { columns: loginColumns, from, order: part`l.created_at desc, l.id desc` }
    const { rows, ...page } = await readPage<Login>(sql, list, query)
    return { logins: rows, ...page }
  },
})
