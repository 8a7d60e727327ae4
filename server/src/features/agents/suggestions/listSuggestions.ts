// Lists the suggestions for an agent.
import { empty, part } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../../kit/paging.ts'
import { oneOf, Type } from '../../../kit/schema.ts'
import { ListedSuggestion, listedColumns, suggestionStates } from './suggestion.ts'

export const listSuggestions = operation({
  id: 'listSuggestions',
  client: 'suggestions.list',
  route: 'GET /v2/agents/:agent_id/suggestions',
  summary: 'List suggestions',
  description: 'Newest first.',
  scope: 'agents:read',
  query: Type.Object({
    state: Type.Optional(oneOf(suggestionStates, { description: 'Only those in this state.' })),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('suggestions', ListedSuggestion),
  async handler({ team, agent, query, sql }) {
    const inState = query.state === undefined ? empty : part`and g.state = ${query.state}`
    const from = part`suggestions g where g.agent_id = ${agent.id} and g.team_id = ${team.id} ${inState}`
    const { rows, ...page } = await readPage<ListedSuggestion>(
      sql,
      { columns: listedColumns, from, order: part`g.id desc` },
      query,
    )
    return { suggestions: rows, ...page }
  },
})
