// What the address of a queue holds: how its cases are shown, the filters of the API, the order, and the page.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'
import { isTimeText } from '../../parts/filters/times.ts'
import { pageSizes } from '../../parts/pageSizes.ts'
import { caseStatuses, priorities, type CasePriority, type CaseStatus } from '../../parts/case/words.ts'

export const queueTabs = ['board', 'table', 'work'] as const
export type QueueTab = (typeof queueTabs)[number]

export const sorts = ['created_at', 'updated_at', 'postponed_to'] as const

export const readQueueSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(queueTabs, raw['tab']),
    view: text(raw['view']),
    status: listText(caseStatuses, raw['status']),
    priority: listText(priorities, raw['priority']),
    labels: labelText(text(raw['labels'])),
    created: timeText(raw['created']),
    updated: timeText(raw['updated']),
    search: text(raw['search'])?.slice(0, 500),
    sort_by: oneOf(sorts, raw['sort_by']),
    sort_order: oneOf(['asc', 'desc'], raw['sort_order']),
    page: whole(raw['page']),
    size: pageSizes.find((size) => size === raw['size']),
  })

export type QueueSearch = ReturnType<typeof readQueueSearch>

/** Names of the fields that narrow the list, in the order of their chips. */
export const filterNames = ['status', 'priority', 'labels', 'created', 'updated', 'search'] as const
export type FilterName = (typeof filterNames)[number]

/** Names of the fields that a saved view keeps. */
const savedNames = [...filterNames, 'sort_by', 'sort_order', 'tab'] as const

/** Known words in their own order, each once; all of them are the same as none. */
function listText<Word extends string>(words: readonly Word[], value: unknown): string | undefined {
  const asked = text(value)?.split(',') ?? []
  const known = words.filter((word) => asked.includes(word))
  return known.length > 0 && known.length < words.length ? known.join(',') : undefined
}

export const statusesOf = ({ status }: Pick<QueueSearch, 'status'>): CaseStatus[] =>
  caseStatuses.filter((one) => status?.split(',').includes(one))

export const prioritiesOf = ({ priority }: Pick<QueueSearch, 'priority'>): CasePriority[] =>
  priorities.filter((one) => priority?.split(',').includes(one))

function timeText(value: unknown): string | undefined {
  const given = text(value)
  return given !== undefined && isTimeText(given) ? given : undefined
}

export interface LabelName {
  key: string
  value: string
}

const labelsMax = 20

/** Keys and values may hold anything, so each is written as in an address: `region:eu,:urgent`. */
export const labelsText = (labels: LabelName[]): string | undefined =>
  labels.length === 0
    ? undefined
    : labels.map(({ key, value }) => `${encodeURIComponent(key)}:${encodeURIComponent(value)}`).join(',')

export function labelsOf({ labels }: Pick<QueueSearch, 'labels'>): LabelName[] {
  const pairs = labels?.split(',').slice(0, labelsMax) ?? []
  return pairs.flatMap((pair) => {
    const at = pair.indexOf(':')
    if (at < 0) return []
    try {
      return [{ key: decodeURIComponent(pair.slice(0, at)), value: decodeURIComponent(pair.slice(at + 1)) }]
    } catch {
      return []
    }
  })
}

const labelText = (value: string | undefined): string | undefined => labelsText(labelsOf(chosen({ labels: value })))

/** Takes the filters of a saved view, which anybody may have written, as an address would have them. */
export const searchOfView = (filter: Record<string, string>): QueueSearch => {
  const read = readQueueSearch(filter)
  return chosen(Object.fromEntries(savedNames.map((name) => [name, read[name]])))
}

/** The queue of a saved view: views of cases are kept together, and each is shown in its own queue. */
export const viewFilterOf = (queueId: string, search: QueueSearch): Record<string, string> => ({
  queue_id: queueId,
  ...Object.fromEntries(savedNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]]))),
})

export const isSameView = (queueId: string, search: QueueSearch, filter: Record<string, string>): boolean =>
  JSON.stringify(viewFilterOf(queueId, search)) === JSON.stringify(viewFilterOf(queueId, searchOfView(filter)))
