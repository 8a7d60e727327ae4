// Lists figures of the agents of a team, in the order of listAgents.
import { empty, part } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { AgentFigures, readFigures } from './agentFigures.ts'

export const listAgentFigures = operation({
  id: 'listAgentFigures',
  client: 'agents.figures',
  route: 'GET /v2/teams/:teamId/agent-figures',
  summary: 'List figures of agents',
  description:
    'For each agent its last run, the runs of seven days, what a run usually costs and takes, its next start, and whether a draft waits. Newest ' +
    'agents first, as listAgents gives them, so that the same `limit` and `offset` give the same page.',
  scope: 'runs:read',
  query: Type.Object({
    agent_ids: Type.Optional(
      Type.String({ maxLength: 3700, description: 'Only these agents: up to 100 ids, separated by commas.' }),
    ),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('agent_figures', AgentFigures),
  async handler({ team, query, sql, context }) {
    const asked = query.agent_ids?.split(',').filter(isId)
    const from = part`agents where team_id = ${team.id} and deleted_at is null and not is_hidden
      ${asked === undefined ? empty : part`and id = any(${asked}::uuid[])`}`
    const { rows, ...page } = await readPage<{ id: string }>(
      sql,
      { columns: part`id`, from, order: part`id desc` },
      query,
    )
    const ids = rows.map(({ id }) => id)
    const figures = ids.length === 0 ? [] : await readFigures(sql, team.id, ids, context.clock.now())
    return { agent_figures: figures, ...page }
  },
})
