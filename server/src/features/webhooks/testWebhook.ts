// Sends an example of an event to a webhook, so that its receiver can be tried.
import { announcing, one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { eventNames, type EventName } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { oneOf, Type, wrapped } from '../../kit/schema.ts'
import { deliveryColumns, DeliveryWithLog } from './delivery.ts'
import { exampleOf } from './exampleEvent.ts'
import { whyNotSent } from './replay.ts'
import type { Webhook } from './webhook.ts'

export const testWebhook = operation({
  id: 'testWebhook',
  client: 'webhooks.test',
  route: 'POST /v2/webhooks/:subscription_id/test',
  summary: 'Send a test',
  description:
    'Sends an example of an event to this webhook alone, signed and retried like any other; its `data` has `"test": true`. Read the ' +
    'delivery to see what the receiver answered.',
  scope: 'webhooks:manage',
  body: Type.Object({
    event: Type.Optional(
      oneOf(eventNames, {
        description:
          'The event of the example, also one that the webhook does not get. Absent: the first that it gets.',
      }),
    ),
  }),
  status: 201,
  answer: wrapped('delivery', 'delivery_id', DeliveryWithLog),
  errors: ['not_found', 'conflict'],
  async handler({ team, subscription, body, sql, fail }) {
    // locked, so that it is neither deleted nor switched off before this is written
    const [target] = await sql<Pick<Webhook, 'active' | 'events'> & { is_deleted: boolean }>`
      select active, events, deleted_at is not null as is_deleted from delivery_targets
      where id = ${subscription.id} and team_id = ${team.id} for share`
    if (!target || target.is_deleted) return fail('not_found')
    const refusal = whyNotSent(target)
    if (refusal !== undefined) fail('conflict', refusal)
    const event = body.event ?? usualEvent(target.events)
    const eventId = newId()
    const data = exampleOf(event, { eventId, teamId: team.id })
    const made = await one(sql<DeliveryWithLog>`${announcing}
      with d as (
        insert into deliveries (id, team_id, target_id, event_id, event, data, created_at)
        values (delivery_id(${eventId}::uuid, ${subscription.id}::uuid), ${team.id}, ${subscription.id}, ${eventId}, ${event},
          ${JSON.stringify(data)}::json, now())
        returning *)
      select ${deliveryColumns}, d.log from d join delivery_targets t on t.id = d.target_id and t.team_id = ${team.id}`)
    return { delivery: made, delivery_id: made.id }
  },
})

const usualEvent = (events: Webhook['events']): EventName => events.find((event) => event !== '*') ?? 'run.completed'
