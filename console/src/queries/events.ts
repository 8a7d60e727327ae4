// The event log of the team, its deliveries, and the health of those who receive them.
import type { ListTeamEventsInput, ListWebhookDeliveriesInput } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

/** No event tells what becomes of a delivery, so it is asked again. */
const askAgainMs = 5000

export const teamEventsQuery = (input: ListTeamEventsInput) =>
  queryOptions({
    queryKey: ['teamEvents', input],
    queryFn: ({ signal }) => runyard.teams.listEvents(input, { signal }),
    placeholderData: keepPreviousData,
  })

export const deliveriesQuery = (input: ListWebhookDeliveriesInput) =>
  queryOptions({
    queryKey: ['deliveries', 'list', input],
    queryFn: ({ signal }) => runyard.deliveries.list(input, { signal }).page(),
    placeholderData: keepPreviousData,
    refetchInterval: askAgainMs,
  })

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: async ({ signal }) => (await runyard.deliveries.get(id, { signal })).delivery,
    refetchInterval: ({ state: { data } }) =>
      data && (data.status === 'delivered' || data.status === 'dead') ? false : 2000,
  })

/** It is the same at every attempt. */
export const deliveryRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'request', id],
    queryFn: ({ signal }) => runyard.deliveries.getRequest(id, { signal }),
    staleTime: Infinity,
  })

export const deliveryTargetsQuery = queryOptions({
  queryKey: ['deliveryTargets'],
  queryFn: async ({ signal }) => (await runyard.deliveries.listTargets({ signal })).targets,
  refetchInterval: askAgainMs,
})
