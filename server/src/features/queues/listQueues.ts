// Lists the queues of a team, oldest first, each with how many cases it has.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { areInManyPieces } from './lists/caseCounts.ts'
import { foldCaseCounts } from './lists/foldCaseCounts.job.ts'
import { Queue, queueColumns } from './queue.ts'

export const listQueues = operation({
  id: 'listQueues',
  client: 'queues.list',
  route: 'GET /v2/teams/:teamId/queues',
  summary: 'List queues',
  description: 'The counts are exact.',
  scope: 'queues:read',
  query: Type.Object({ search: Type.Optional(searchField('name and description')), ...paging(100, 250) }),
  status: 200,
  answer: pageOf('queues', Queue),
  async handler({ team, query, sql, enqueue }) {
    const named = hasWords(part`concat_ws(' ', q.name, q.description)`, query.search)
    const from = part`queues q where q.team_id = ${team.id} and ${named}`
    const list = { columns: queueColumns, from, order: part`q.created_at, q.id` }
    const { rows, ...page } = await readPage<Queue>(sql, list, query)
    const ids = rows.map(({ id }) => id)
    if (await areInManyPieces(sql, ids)) await enqueue(foldCaseCounts, {}, { key: foldCaseCounts.name })
    return { queues: rows, ...page }
  },
})
