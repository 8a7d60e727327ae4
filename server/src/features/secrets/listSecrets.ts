// Lists a team's secrets, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { Secret, secretColumns } from './secret.ts'

export const listSecrets = operation({
  id: 'listSecrets',
  client: 'secrets.list',
  route: 'GET /v2/teams/:teamId/secrets',
  summary: 'List secrets',
  description: 'Their names and the names of their variables; no value is ever shown.',
  scope: 'agents:read',
  query: Type.Object({ search: Type.Optional(searchField('name and env_var_keys')), ...paging(100, 100) }),
  status: 200,
  answer: pageOf('secrets', Secret),
  async handler({ team, query, sql }) {
    const from = part`secrets s where s.team_id = ${team.id}
      and ${hasWords(part`concat_ws(' ', s.name, array_to_string(s.env_var_keys, ' '))`, query.search)}`
    const list = { columns: secretColumns, from, order: part`s.created_at desc, s.id desc` }
    const { rows, ...page } = await readPage<Secret>(sql, list, query)
    return { secrets: rows, ...page }
  },
})
