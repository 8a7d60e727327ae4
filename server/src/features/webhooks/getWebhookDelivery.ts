// Reads a delivery with every attempt that was made.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { DeliveryWithLog } from './delivery.ts'

export const getWebhookDelivery = operation({
  id: 'getWebhookDelivery',
  client: 'deliveries.get',
  route: 'GET /v2/webhook-deliveries/:delivery_id',
  summary: 'Get a delivery',
  description:
    'With its attempts: when, how long, what the receiver answered or where it failed. The newest 100 are stored.',
  scope: 'webhooks:manage',
  status: 200,
  answer: wrapped('delivery', 'delivery_id', DeliveryWithLog),
  handler: async ({ delivery }) => ({ delivery, delivery_id: delivery.id }),
})
