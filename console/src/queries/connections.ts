// Connections to other services, what can be connected, and what depends on one.
import type { ListConnectionsInput } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const connectionsQuery = (input: ListConnectionsInput) =>
  queryOptions({
    queryKey: ['connections', input],
    queryFn: ({ signal }) => runyard.connections.list(input, { signal }).page(),
    placeholderData: keepPreviousData,
  })

/** Set when the service is started. */
export const providersQuery = queryOptions({
  queryKey: ['connectionProviders'],
  queryFn: ({ signal }) => runyard.connections.listProviders({ signal }),
  staleTime: Infinity,
})

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['connection', id],
    queryFn: async ({ signal }) => (await runyard.connections.get(id, { signal })).connection,
  })

/** No event tells that a run begins or ends to wait for it. */
export const dependentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['connection', id, 'dependents'],
    queryFn: ({ signal }) => runyard.connections.listDependents(id, { signal }),
    refetchInterval: 10_000,
  })

export const connectionToolsQuery = (id: string) =>
  queryOptions({
    queryKey: ['connection', id, 'tools'],
    queryFn: async ({ signal }) => (await runyard.connections.listTools(id, { signal })).tools,
  })

/** Names of headers; no value of them leaves the server. */
export const credentialsQuery = (id: string) =>
  queryOptions({
    queryKey: ['connection', id, 'credentials'],
    queryFn: ({ signal }) => runyard.connections.getCredentials(id, { signal }),
  })
