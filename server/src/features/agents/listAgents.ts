// Lists the agents of a team, newest first, each with its latest build.
import { operation } from '../../kit/operation.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { ListedAgent, readAgents } from './listedAgents.ts'

export const listAgents = operation({
  id: 'listAgents',
  client: 'agents.list',
  route: 'GET /v2/teams/:teamId/agents',
  summary: 'List agents',
  scope: 'agents:read',
  query: Type.Object({
    include_schedules: Type.Optional(Type.Boolean({ description: 'Whether each agent comes with its `schedules`.' })),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('agents', ListedAgent),
  handler: ({ team, query, sql }) =>
    readAgents(sql, { teamId: team.id, page: query, hasSchedules: query.include_schedules === true }),
})
