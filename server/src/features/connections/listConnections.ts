// Lists a team's connections, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { Connection, connectionColumns, connectionTypes, statuses } from './store/connection.ts'
import { providerSpelled } from './providers/providers.ts'

export const listConnections = operation({
  id: 'listConnections',
  client: 'connections.list',
  route: 'GET /v2/teams/:teamId/connections',
  summary: 'List connections',
  scope: 'connections:read',
  query: Type.Object({
    type: Type.Optional(oneOf(connectionTypes, { description: 'Only connections of this type.' })),
    provider: Type.Optional(Type.String({ maxLength: 100, description: 'Only connections to this provider.' })),
    status: Type.Optional(oneOf(statuses, { description: 'Only connections with this status.' })),
    search: Type.Optional(searchField('name, provider and server_url')),
    ...paging(100, 100),
  }),
  status: 200,
  answer: pageOf('integrations', Connection),
  async handler({ team, query, sql }) {
    const { type = null, status = null } = query
    const provider = query.provider === undefined ? null : (providerSpelled(query.provider)?.name ?? query.provider)
    const from = part`connections c where c.team_id = ${team.id}
      and (${type}::text is null or c.type = ${type}) and (${status}::text is null or c.status = ${status})
      and (${provider}::text is null or c.provider = ${provider})
      and ${hasWords(part`concat_ws(' ', c.name, c.provider, c.server_url)`, query.search)}`
    const order = part`c.created_at desc, c.id desc`
    const { rows, ...page } = await readPage<Connection>(sql, { columns: connectionColumns, from, order }, query)
    return { integrations: rows, ...page }
  },
})
