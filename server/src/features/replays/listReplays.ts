// Lists the replays of an agent's builds.
import { empty, part } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { Replay, replayColumns } from './replay.ts'

export const listReplays = operation({
  id: 'listReplays',
  client: 'replays.list',
  route: 'GET /v2/agents/:agent_id/replays',
  summary: 'List replays',
  description: 'Newest first.',
  scope: 'evals:read',
  query: Type.Object({
    build_id: Type.Optional(Type.String({ description: 'Only replays of this build.' })),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('replays', Replay),
  async handler({ team, agent, query, sql }) {
    const ofBuild = query.build_id === undefined ? empty : part`and r.build_id = ${idForFilter(query.build_id)}`
    const from = part`replays r where r.agent_id = ${agent.id} and r.team_id = ${team.id} ${ofBuild}`
    const { rows, ...page } = await readPage<Replay>(
      sql,
      { columns: replayColumns, from, order: part`r.id desc` },
      query,
    )
    return { replays: rows, ...page }
  },
})
