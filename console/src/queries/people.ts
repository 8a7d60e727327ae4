// Who can use the service, and who changed what: sessions, keys, OAuth clients, keys for models, the audit log.
import type { ListAuditLogInput } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => runyard.sessions.list({ limit: 100 }, { signal }).page(),
})

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => runyard.apiKeys.list({ limit: 100 }, { signal }).page(),
})

export const clientsQuery = queryOptions({
  queryKey: ['oauthClients'],
  queryFn: ({ signal }) => runyard.oauthClients.list({ limit: 100 }, { signal }).page(),
})

export const modelKeysQuery = queryOptions({
  queryKey: ['models', 'keys'],
  queryFn: ({ signal }) => runyard.modelKeys.list({ signal }),
})

export const modelSettingsQuery = queryOptions({
  queryKey: ['models', 'settings'],
  queryFn: ({ signal }) => runyard.modelSettings.get({ signal }),
})

export const auditQuery = (input: ListAuditLogInput) =>
  queryOptions({
    queryKey: ['audit', input],
    queryFn: ({ signal }) => runyard.auditLog.list(input, { signal }).page(),
    placeholderData: keepPreviousData,
    // what others do has no event of its own
    refetchInterval: 15_000,
  })
