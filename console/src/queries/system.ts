// The whole installation, for admins of the team that runs it.
import { ForbiddenError } from '@runyard/sdk'
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

/** Processes report every five seconds. Whoever may not see them is not refused again and again. */
export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => runyard.system.get({ signal }),
  refetchInterval: ({ state: { error } }) => (error instanceof ForbiddenError ? false : 5000),
})

const latest = 20

/** Drills, the latest first; one that is under way is asked for often. */
export const drillsQuery = queryOptions({
  queryKey: ['system', 'drills'],
  queryFn: ({ signal }) => runyard.system.listDrills({ limit: latest }, { signal }).page(),
  refetchInterval({ state: { data, error } }) {
    if (error instanceof ForbiddenError) return false
    return data?.drills.some(({ ended_at }) => ended_at === null) ? 1000 : 15_000
  },
})
