// Lists the builds of an agent, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readLongPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { Build, listedBuildColumns, longConfig } from './builds/build.ts'

export const listAgentRevisions = operation({
  id: 'listAgentRevisions',
  client: 'agents.listRevisions',
  route: 'GET /v2/agents/:agent_id/revisions',
  summary: 'List the revisions of an agent',
  scope: 'agents:read',
  query: Type.Object(paging(20, 100)),
  status: 200,
  answer: pageOf('builds', Build),
  async handler({ team, agent, query, sql }) {
    const list = {
      table: part`builds`,
      where: part`agent_id = ${agent.id} and team_id = ${team.id}`,
      order: part`builds.revision_number desc`,
      columns: listedBuildColumns,
      long: [longConfig],
    }
    const { rows, ...page } = await readLongPage<Build>(sql, list, query)
    return { builds: rows, ...page }
  },
})
