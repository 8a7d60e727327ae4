// Lists the replay sets of an agent.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { ReplaySet, setColumns } from './replaySet.ts'

export const listReplaySets = operation({
  id: 'listReplaySets',
  client: 'replays.listSets',
  route: 'GET /v2/agents/:agent_id/replay-sets',
  summary: 'List replay sets',
  description: 'By name.',
  scope: 'evals:read',
  query: Type.Object({ ...paging(20, 100) }),
  status: 200,
  answer: pageOf('replay_sets', ReplaySet),
  async handler({ team, agent, query, sql }) {
    const from = part`replay_sets s where s.agent_id = ${agent.id} and s.team_id = ${team.id} and not s.of_suggestion`
    const { rows, ...page } = await readPage<ReplaySet>(
      sql,
      { columns: setColumns, from, order: part`s.name, s.id` },
      query,
    )
    return { replay_sets: rows, ...page }
  },
})
