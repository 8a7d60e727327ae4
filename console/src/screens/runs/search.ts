// What the address of the list of runs holds: the filters of the API, the order, the page, and the time that the plot shows.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'
import { pageSizes } from '../../parts/pageSizes.ts'
import { isTimeText } from '../../parts/filters/times.ts'

export const statuses = ['pending', 'running', 'needs_attention', 'waiting', 'completed', 'failed', 'stopped'] as const
export type FilterStatus = (typeof statuses)[number]

export const sources = [
  'api',
  'schedule',
  'case_trigger',
  'trigger',
  'mcp',
  'console',
  'agent',
  'retry',
  'artifact',
] as const
export const severities = ['critical', 'medium', 'low'] as const
export const sorts = ['created_at', 'completed_at', 'run_number'] as const
export const spans = ['1h', '6h', '24h', '7d', '30d', '90d'] as const
export type Span = (typeof spans)[number]

export const readRunsSearch = (raw: RawSearch) =>
  chosen({
    view: text(raw['view']),
    agent_id: text(raw['agent_id']),
    status: statusText(text(raw['status'])),
    since: timeText(raw['since']),
    until: timeText(raw['until']),
    user_id: text(raw['user_id']),
    case_queue_id: text(raw['case_queue_id']),
    source: oneOf(sources, raw['source']),
    search: text(raw['search'])?.slice(0, 500),
    has_issues: oneOf(['true', 'false'], String(raw['has_issues'])),
    issue_severity: oneOf(severities, raw['issue_severity']),
    sort_by: oneOf(sorts, raw['sort_by']),
    sort_order: oneOf(['asc', 'desc'], raw['sort_order']),
    page: whole(raw['page']),
    size: pageSizes.find((size) => size === raw['size']),
    span: oneOf(spans, raw['span']),
  })

export type RunsSearch = ReturnType<typeof readRunsSearch>

/** Names of the fields that narrow the list, in the order of their chips. */
export const filterNames = [
  'status',
  'agent_id',
  'since',
  'until',
  'user_id',
  'case_queue_id',
  'source',
  'search',
  'has_issues',
  'issue_severity',
] as const
export type FilterName = (typeof filterNames)[number]

/** Names of the fields that a saved view keeps. */
export const savedNames = [...filterNames, 'sort_by', 'sort_order', 'span'] as const

/** Known statuses in their own order, each once. */
function statusText(value: string | undefined): string | undefined {
  const asked = value?.split(',') ?? []
  const known = statuses.filter((status) => asked.includes(status))
  return known.length > 0 && known.length < statuses.length ? known.join(',') : undefined
}

export const statusesOf = ({ status }: Pick<RunsSearch, 'status'>): FilterStatus[] =>
  status === undefined ? [] : statuses.filter((one) => status.split(',').includes(one))

export const withStatuses = (chosenOnes: FilterStatus[]): string | undefined => statusText(chosenOnes.join(','))

function timeText(value: unknown): string | undefined {
  const given = text(value)
  return given !== undefined && isTimeText(given) ? given : undefined
}

/** Takes the filters of a saved view, which anybody may have written, as an address would have them. */
export const searchOfView = (filter: Record<string, string>): RunsSearch => {
  const read = readRunsSearch(filter)
  return chosen(Object.fromEntries(savedNames.map((name) => [name, read[name]])))
}

/** The filters and the order of an address, as a view saves them. */
export const viewFilterOf = (search: RunsSearch): Record<string, string> =>
  Object.fromEntries(savedNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])))

export const isSameView = (search: RunsSearch, filter: Record<string, string>): boolean => {
  const saved: Record<string, string | undefined> = viewFilterOf(searchOfView(filter))
  const now: Record<string, string | undefined> = viewFilterOf(search)
  return savedNames.every((name) => saved[name] === now[name])
}
