// Requests that wait for a person.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const requestCountsQuery = queryOptions({
  queryKey: ['requests', 'counts'],
  queryFn: ({ signal }) => runyard.humanRequests.counts({ signal }),
})

/** One request, whole, with the run that asks and what each answer leads to. */
export const requestQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['requests', 'one', requestId],
    queryFn: async ({ signal }) => (await runyard.humanRequests.get(requestId, { signal })).human_request,
  })
