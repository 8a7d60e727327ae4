// What the builder suggests for an agent, and when it does.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

/** No event tells how far a suggestion is. */
const lookAgainMs = 5000
const underWay = new Set(['drafting', 'replaying'])

export const suggestionsQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'suggestions'],
    queryFn: async ({ signal }) =>
      (await runyard.suggestions.list(agentId, { limit: 50 }, { signal }).page()).suggestions,
    refetchInterval: ({ state }) => (state.data?.some((one) => underWay.has(one.state)) ? lookAgainMs : false),
  })

export const suggestionQuery = (agentId: string, suggestionId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'suggestions', suggestionId],
    queryFn: async ({ signal }) => (await runyard.suggestions.get(suggestionId, { signal })).suggestion,
    refetchInterval: ({ state }) => (underWay.has(state.data?.state ?? '') ? lookAgainMs : false),
  })

export const suggestionSettingsQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'suggestionSettings'],
    queryFn: async ({ signal }) => (await runyard.suggestions.getSettings(agentId, { signal })).suggestion_settings,
  })
