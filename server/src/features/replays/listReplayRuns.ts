// Lists the runs of a replay with their verdicts.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { ListedReplayRun, listedRunColumns, verdicts } from './replay.ts'

export const listReplayRuns = operation({
  id: 'listReplayRuns',
  client: 'replays.listRuns',
  route: 'GET /v2/replays/:replay_id/runs',
  summary: 'List the runs of a replay',
  description: 'By the number of the recorded run. getReplayRun has the report about each.',
  scope: 'evals:read',
  query: Type.Object({
    verdict: Type.Optional(oneOf(verdicts, { description: 'Only runs with this verdict.' })),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('replay_runs', ListedReplayRun),
  async handler({ team, replay, query, sql }) {
    const { verdict = null } = query
    const from = part`replay_runs h where h.replay_id = ${replay.id} and h.team_id = ${team.id}
      and (${verdict}::text is null or h.verdict = ${verdict})`
    const order = part`h.run_number, h.id`
    const { rows, ...page } = await readPage<ListedReplayRun>(sql, { columns: listedRunColumns, from, order }, query)
    return { replay_runs: rows, ...page }
  },
})
