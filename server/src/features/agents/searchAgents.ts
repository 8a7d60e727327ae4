// Finds agents by words in their name and description.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { ListedAgent, readAgents } from './listedAgents.ts'

export const searchAgents = operation({
  id: 'searchAgents',
  client: 'agents.search',
  route: 'GET /v2/teams/:teamId/agent-search',
  summary: 'Search agents',
  description: 'Newest first, as listAgents gives them. Without `search` these are all agents.',
  scope: 'agents:read',
  query: Type.Object({ search: Type.Optional(searchField('name and description')), ...paging(20, 100) }),
  status: 200,
  answer: pageOf('agents', ListedAgent),
  handler: ({ team, query, sql }) =>
    readAgents(sql, {
      teamId: team.id,
      where: hasWords(part`concat_ws(' ', agents.name, agents.description)`, query.search),
      page: query,
    }),
})
