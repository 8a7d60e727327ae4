// The filters of an address as the API takes them.
import type { SearchCasesInput } from '@runyard/sdk'
import { chosen } from '../../app/search.ts'
import { momentOf } from '../../parts/filters/times.ts'
import { labelsOf, prioritiesOf, statusesOf, type QueueSearch } from './search.ts'

export type CaseChoice = Pick<SearchCasesInput, 'filters' | 'search'>

/** Words such as "today" become moments of now. */
export function caseChoice(search: QueueSearch, now: number, zone: string): CaseChoice {
  const [status, priority, labels] = [statusesOf(search), prioritiesOf(search), labelsOf(search)]
  const filters = chosen({
    status: status.length === 0 ? undefined : status,
    priority: priority.length === 0 ? undefined : priority,
    labels: labels.length === 0 ? undefined : byKey(labels),
    created_at_from: search.created === undefined ? undefined : momentOf(search.created, now, zone),
    updated_at_from: search.updated === undefined ? undefined : momentOf(search.updated, now, zone),
  })
  return chosen({ filters: Object.keys(filters).length === 0 ? undefined : filters, search: search.search })
}

const byKey = (labels: { key: string; value: string }[]): Record<string, string[]> => {
  const found = Map.groupBy(labels, ({ key }) => key)
  return Object.fromEntries([...found].map(([key, same]) => [key, same.map(({ value }) => value)]))
}

export const caseOrder = ({ sort_by, sort_order }: QueueSearch): Pick<SearchCasesInput, 'sort_by' | 'sort_order'> =>
  chosen({ sort_by, sort_order })
