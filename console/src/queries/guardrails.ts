// Guardrails of the team: what is live, their versions, what they stopped, and dry runs.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const guardrailsQuery = queryOptions({
  queryKey: ['guardrails', 'live'],
  queryFn: ({ signal }) => runyard.guardrails.get({ signal }),
})

/** How many versions are shown: one less than a page has. */
export const versionsShown = 49

export const guardrailVersionsQuery = queryOptions({
  queryKey: ['guardrails', 'versions'],
  // one more, with which the oldest that is shown is compared
  queryFn: ({ signal }) => runyard.guardrails.listVersions({ limit: versionsShown + 1 }, { signal }).page(),
})

export const guardrailStopsQuery = queryOptions({
  queryKey: ['guardrails', 'stops'],
  queryFn: ({ signal }) => runyard.guardrails.listStops({ limit: 20 }, { signal }).page(),
  // what runs do has no event of its own here
  refetchInterval: 15_000,
})

export const dryRunQuery = (id: string) =>
  queryOptions({
    queryKey: ['guardrails', 'dryRun', id],
    queryFn: async ({ signal }) => (await runyard.guardrails.getDryRun(id, { signal })).dry_run,
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'running' ? false : 700),
  })
