// The team that the session belongs to, and its members.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: async ({ signal }) => (await runyard.teams.get({ signal })).team,
  staleTime: Infinity,
})

/** At most 200, by name: enough to choose from; more are found by search. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => runyard.members.list({ limit: 200 }, { signal }).page(),
  staleTime: 60_000,
})
