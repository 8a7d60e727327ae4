// Reads one delivery to a trigger, with what came in.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { shownDelivery, TriggerDeliveryWithContent } from './triggerDelivery.ts'

export const getTriggerDelivery = operation({
  id: 'getTriggerDelivery',
  client: 'triggers.getDelivery',
  route: 'GET /v2/trigger-deliveries/:trigger_delivery_id',
  summary: 'Get a delivery to a trigger',
  description: 'With what came in. Credentials and signatures among the headers were not stored.',
  scope: 'agents:read',
  status: 200,
  answer: wrapped('trigger_delivery', 'trigger_delivery_id', TriggerDeliveryWithContent),
  handler: async ({ caller, trigger_delivery }) => ({
    trigger_delivery: shownDelivery(caller, trigger_delivery),
    trigger_delivery_id: trigger_delivery.id,
  }),
})
