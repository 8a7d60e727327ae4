// Lists the labels of a queue by key and value.
import { part } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../../kit/paging.ts'
import { Type } from '../../../kit/schema.ts'
import { Label, labelColumns } from './label.ts'

export const listLabels = operation({
  id: 'listLabels',
  client: 'labels.list',
  route: 'GET /v2/queues/:queue_id/labels',
  summary: 'List labels',
  scope: 'queues:read',
  query: Type.Object(paging(1000, 1000)),
  status: 200,
  answer: pageOf('labels', Label),
  async handler({ team, queue, query, sql }) {
    const from = part`labels l where l.queue_id = ${queue.id} and l.team_id = ${team.id}`
    const list = { columns: labelColumns, from, order: part`l.key, l.value` }
    const { rows, ...page } = await readPage<Label>(sql, list, query)
    return { labels: rows, ...page }
  },
})
