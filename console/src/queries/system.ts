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
