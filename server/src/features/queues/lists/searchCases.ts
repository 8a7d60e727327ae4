// Searches the cases of a queue by more than a query can say: as listCases, with labels.
import { operation } from '../../../kit/operation.ts'
import { pageOf, paging } from '../../../kit/paging.ts'
import { Type } from '../../../kit/schema.ts'
import { Case } from '../cases/case.ts'
import { caseFilterFrom, CaseFilters, searchField } from './caseFilter.ts'
import { listed, sortFields } from './caseLists.ts'

const usualLimit = 20
const pages = paging(usualLimit, 100)

export const searchCases = operation({
  id: 'searchCases',
  client: 'cases.search',
  route: 'POST /v2/queues/:queue_id/cases/search',
  summary: 'Search the cases of a queue',
  description:
    'Newest first unless asked otherwise. `total` is exact. A case matches `filters.labels` if it has, for every given key, one of the ' +
    'given values.',
  scope: 'queues:read',
  onlyReads: true,
  body: Type.Object({
    filters: Type.Optional(CaseFilters),
    search: Type.Optional(searchField),
    sort_by: Type.Optional(sortFields.sort_by),
    sort_order: Type.Optional(sortFields.sort_order),
    limit: Type.Optional(pages.limit),
    offset: Type.Optional(pages.offset),
  }),
  status: 200,
  answer: pageOf('cases', Case),
  async handler({ queue, body, sql }) {
    const { filters, search, sort_by = 'created_at', sort_order = 'desc', limit = usualLimit, offset = 0 } = body
    const filter = await caseFilterFrom(sql, queue, { filters, search })
    const { cases, total } = await listed(sql, queue, filter, { sort_by, sort_order, limit, offset })
    return { cases, total, limit, offset }
  },
})
