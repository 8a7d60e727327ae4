// Lists the runs of a team, filtered, searched and sorted, with the exact number of those that fit.
import { foldRunCounts } from '../../engine/counting/foldRunCounts.job.ts'
import { searchWords } from '../../kit/lists/words.ts'
import { operation } from '../../kit/operation.ts'
import { paging } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { Run } from './run.ts'
import { filterFields, filterOf } from './runFilter.ts'
import { readRuns, sorts } from './runPages.ts'
import { searchRuns } from './runSearch.ts'
import { totalsOf } from './runTotals.ts'

/** More deltas than this make totals slow to read: then they are folded now and not at the next minute. */
const deltasMax = 5000

export const listRuns = operation({
  id: 'listRuns',
  client: 'runs.list',
  route: 'GET /v2/teams/:teamId/runs',
  summary: 'List runs',
  description: 'Newest first unless asked otherwise. `total` is exact.',
  scope: 'runs:read',
  query: Type.Object({
    ...filterFields,
    count_only: Type.Optional(Type.Boolean({ description: 'Give only the total; `data` is empty.' })),
    sort_by: oneOf(sorts, {
      default: 'created_at',
      description: 'By `completed_at`, a run that has not ended counts as the last to end.',
    }),
    sort_order: oneOf(['asc', 'desc'], { default: 'desc', description: 'Newest or largest first unless `asc`.' }),
    ...paging(20, 100),
  }),
  status: 200,
  answer: Type.Object({ data: Type.Array(Run), total: Type.Integer({ minimum: 0 }) }, { additionalProperties: false }),
  async handler({ team, caller, query, sql, enqueue }) {
    const filter = filterOf(caller, query)
    if (!filter) return { data: [], total: 0 }
    const page = query.count_only === true ? { ...query, limit: 0 } : query
    const words = query.search === undefined ? null : await searchWords(sql, team.id, query.search)
    if (words !== null) return searchRuns(sql, { ...filter, words }, page)
    const totals = await totalsOf(sql, filter)
    if (totals.deltas > deltasMax) await enqueue(foldRunCounts, {}, { key: foldRunCounts.name })
    return { data: await readRuns(sql, filter, totals, page), total: totals.total }
  },
})
