// The filters of an address as the API takes them.
import type { ListRunsInput } from '@runyard/sdk'
import { chosen } from '../../app/search.ts'
import type { RunsSearch } from './search.ts'
import { momentOf } from '../../parts/filters/times.ts'

export type ApiFilter = Pick<
  ListRunsInput,
  'agent_id' | 'since' | 'until' | 'user_id' | 'case_queue_id' | 'source' | 'search' | 'has_issues' | 'issue_severity'
> & { status?: string }

export type ApiOrder = Pick<ListRunsInput, 'sort_by' | 'sort_order'>

/** Words such as "today" become moments of now. */
export function apiFilter(search: RunsSearch, now: number, zone: string): ApiFilter {
  const { agent_id, status, since, until, user_id, case_queue_id, source, has_issues, issue_severity } = search
  return chosen({
    agent_id,
    status,
    since: since === undefined ? undefined : momentOf(since, now, zone),
    until: until === undefined ? undefined : momentOf(until, now, zone),
    user_id,
    case_queue_id,
    source,
    search: search.search,
    has_issues: has_issues === undefined ? undefined : has_issues === 'true',
    issue_severity,
  })
}

export const apiOrder = ({ sort_by, sort_order }: RunsSearch): ApiOrder => chosen({ sort_by, sort_order })

/** Newest first: only then do new runs come before those that are shown. */
export const isNewestFirst = ({ sort_by = 'created_at', sort_order = 'desc' }: ApiOrder): boolean =>
  sort_by === 'created_at' && sort_order === 'desc'

type Moment = string | undefined

const isBefore = (one: string, other: string): boolean => Date.parse(one) < Date.parse(other)

/** Where one is missing, it is the other. */
export const earlier = (one: Moment, other: Moment): Moment =>
  one === undefined || other === undefined ? (one ?? other) : isBefore(one, other) ? one : other

export const later = (one: Moment, other: Moment): Moment =>
  one === undefined || other === undefined ? (one ?? other) : isBefore(one, other) ? other : one
