// Lists a team's connections, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { Connection, connectionColumns } from './connection.ts'

export const listConnections = operation({
  id: 'listConnections',
  route: 'GET /v2/teams/:teamId/connections',
  summary: 'List connections',
  scope: 'connections:read',
  query: Type.Object(paging(100, 100)),
  status: 200,
  answer: pageOf('integrations', Connection),
  async handler({ team, query, sql }) {
    const from = part`connections c where c.team_id = ${team.id}`
    const order = part`c.created_at desc, c.id desc`
    const { rows, ...page } = await readPage<Connection>(sql, { columns: connectionColumns, from, order }, query)
    return { integrations: rows, ...page }
  },
})
