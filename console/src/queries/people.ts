// Who can use the service: sessions and keys.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => runyard.sessions.list({ limit: 100 }, { signal }).page(),
})

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => runyard.apiKeys.list({ limit: 100 }, { signal }).page(),
})
