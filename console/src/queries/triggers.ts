// Triggers of an agent, and what came in for one of them.
import type { ListTriggerDeliveriesInput } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const triggersQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'triggers'],
    queryFn: async ({ signal }) => (await runyard.triggers.list(agentId, { signal })).triggers,
  })

/** No event tells that something came in. */
const lookAgainMs = 5000

export const triggerDeliveriesQuery = (triggerId: string, input: ListTriggerDeliveriesInput) =>
  queryOptions({
    queryKey: ['trigger', triggerId, 'deliveries', input],
    queryFn: ({ signal }) => runyard.triggers.listDeliveries(triggerId, input, { signal }).page(),
    placeholderData: keepPreviousData,
    refetchInterval: lookAgainMs,
  })

export const triggerDeliveryQuery = (deliveryId: string) =>
  queryOptions({
    queryKey: ['triggerDelivery', deliveryId],
    queryFn: async ({ signal }) => (await runyard.triggers.getDelivery(deliveryId, { signal })).trigger_delivery,
  })
