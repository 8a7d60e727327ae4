// What can be done to many runs at once, and to which of the runs that fit a filter.
import type { ApiFilter } from './apiFilter.ts'
import { statuses, type FilterStatus } from './search.ts'

export type BulkAction = 'stop' | 'retry'

const ended: ReadonlySet<FilterStatus> = new Set(['completed', 'failed', 'stopped'])

/** A run can be stopped until it ends, and started again when it has. */
const fits: Record<BulkAction, (status: FilterStatus) => boolean> = {
  stop: (status) => !ended.has(status),
  retry: (status) => ended.has(status),
}

/** The part of the filter to which it can be done; undefined: none of it. */
export function narrowedTo(action: BulkAction, filter: ApiFilter): ApiFilter | undefined {
  const asked = filter.status?.split(',')
  const left = statuses.filter((status) => fits[action](status) && (asked === undefined || asked.includes(status)))
  return left.length === 0 ? undefined : { ...filter, status: left.join(',') }
}

/** What work over a filter is over: the same words, whichever run is the newest just then. */
export function overFilter(filter: ApiFilter): string {
  const names = Object.keys(filter).filter((name) => name !== 'until')
  return JSON.stringify(filter, names.toSorted())
}
