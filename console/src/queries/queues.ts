// Queues of cases.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

/** By name, for choosing one: the first 250. */
export const queueNamesQuery = queryOptions({
  queryKey: ['queues', 'names'],
  queryFn: async ({ signal }) => (await runyard.queues.list({ limit: 250 }, { signal }).page()).queues,
  staleTime: 60_000,
})
