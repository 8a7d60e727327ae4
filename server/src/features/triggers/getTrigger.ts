// Reads one trigger.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { shown, Trigger } from './trigger.ts'

export const getTrigger = operation({
  id: 'getTrigger',
  client: 'triggers.get',
  route: 'GET /v2/triggers/:trigger_id',
  summary: 'Get a trigger',
  scope: 'agents:read',
  status: 200,
  answer: wrapped('trigger', 'trigger_id', Trigger),
  handler: async ({ trigger, caller, context }) => ({
    trigger: shown(context, caller, trigger),
    trigger_id: trigger.id,
  }),
})
