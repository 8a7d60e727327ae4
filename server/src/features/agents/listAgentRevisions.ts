// Lists the builds of an agent, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { Build, buildColumns } from './build.ts'

export const listAgentRevisions = operation({
  id: 'listAgentRevisions',
  route: 'GET /v2/agents/:agent_id/revisions',
  summary: 'List the revisions of an agent',
  scope: 'agents:read',
  query: Type.Object(paging(20, 100)),
  status: 200,
  answer: pageOf('builds', Build),
  async handler({ team, agent, query, sql }) {
    const from = part`builds where agent_id = ${agent.id} and team_id = ${team.id}`
    const list = { columns: buildColumns, from, order: part`revision_number desc` }
    const { rows, ...page } = await readPage<Build>(sql, list, query)
    return { builds: rows, ...page }
  },
})
