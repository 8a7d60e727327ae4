// Lists the recordings of a replay set.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { Recording, recordingColumns } from './recording.ts'

export const listRecordings = operation({
  id: 'listRecordings',
  client: 'replays.listRecordings',
  route: 'GET /v2/replay-sets/:replay_set_id/recordings',
  summary: 'List the recordings of a replay set',
  description: 'The latest runs first.',
  scope: 'evals:read',
  query: Type.Object({ ...paging(20, 100) }),
  status: 200,
  answer: pageOf('recordings', Recording),
  async handler({ team, replay_set, query, sql }) {
    const from = part`replay_recordings c where c.set_id = ${replay_set.id} and c.team_id = ${team.id}`
    const order = part`c.run_number desc`
    const { rows, ...page } = await readPage<Recording>(sql, { columns: recordingColumns, from, order }, query)
    return { recordings: rows, ...page }
  },
})
