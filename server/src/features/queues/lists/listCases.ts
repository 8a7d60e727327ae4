// Lists the cases of a queue, filtered, searched and sorted, with the exact number of those that fit.
import { operation } from '../../../kit/operation.ts'
import { pageOf, paging } from '../../../kit/paging.ts'
import { Type } from '../../../kit/schema.ts'
import { Case } from '../cases/case.ts'
import { caseFilterFrom, filtersOfQuery, queryFields } from './caseFilter.ts'
import { listed, sortFields } from './caseLists.ts'

export const listCases = operation({
  id: 'listCases',
  client: 'cases.list',
  route: 'GET /v2/queues/:queue_id/cases',
  summary: 'List the cases of a queue',
  description: 'Newest first unless asked otherwise. `total` is exact.',
  scope: 'queues:read',
  query: Type.Object({ ...queryFields, ...sortFields, ...paging(20, 100) }),
  status: 200,
  answer: pageOf('cases', Case),
  async handler({ queue, query, sql }) {
    const filter = await caseFilterFrom(sql, queue, { filters: filtersOfQuery(query), search: query.search })
    const { cases, total } = await listed(sql, queue, filter, query)
    return { cases, total, limit: query.limit, offset: query.offset }
  },
})
