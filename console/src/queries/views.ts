// Saved views: one's own, and those that others share.
import type { SavedView } from '@runyard/sdk'
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const viewsQuery = (screen: SavedView['screen']) =>
  queryOptions({
    queryKey: ['views', screen],
    queryFn: async ({ signal }) => (await runyard.views.list({ screen, limit: 200 }, { signal }).page()).views,
  })
