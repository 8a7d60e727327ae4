// Sends a delivery again that was delivered or given up.
import { announcing } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { deliveryColumns, DeliveryWithLog, deliveryWith, settledStates } from './delivery.ts'
import { setDeliveredApart } from './deliveryBatches.ts'
import { sentAgain, whyNotSent } from './replay.ts'
import { whyWithheld } from './withheldDeliveries.ts'

export const replayWebhookDelivery = operation({
  id: 'replayWebhookDelivery',
  client: 'deliveries.replay',
  route: 'POST /v2/webhook-deliveries/:delivery_id/replay',
  summary: 'Send a delivery again',
  description:
    'Sends the same id and the same body again, after new events, with all the attempts of a first delivery. Only for a delivery that is ' +
    '`delivered` or `dead`. A credential must be able to read the event that the delivery sends, as must the one that set the `url` or ' +
    '`events` of the webhook.',
  scope: 'webhooks:manage',
  status: 200,
  answer: wrapped('delivery', 'delivery_id', DeliveryWithLog),
  errors: ['insufficient_scope', 'not_found', 'conflict'],
  async handler({ team, caller, delivery, sql, fail }) {
    const withheld = whyWithheld(caller.scopes, delivery.event)
    if (withheld !== undefined) fail('insufficient_scope', withheld)
    // locked, so that it is neither deleted nor switched off before this is written
    const [target] = await sql<{
      id: string
      active: boolean
      is_deleted: boolean
      is_gone: boolean
      is_withheld: boolean
    }>`
      select t.id, t.active, t.deleted_at is not null as is_deleted, d.event = any(t.withheld) as is_withheld,
        t.kind = 'callback' and exists (select from ended_callbacks e where e.run_id = d.run_id) as is_gone
      from (${deliveryWith(delivery.id, team.id)}) d join delivery_targets t on t.id = d.target_id for no key update of t`
    if (!target) return fail('not_found')
    const refusal = whyNotSent(target)
    if (refusal !== undefined) fail('conflict', refusal)
    await setDeliveredApart(sql, delivery.event_id, target.id)
    const [replayed] = await sql<DeliveryWithLog>`${announcing}
      update deliveries d set ${sentAgain} from delivery_targets t
      where d.id = ${delivery.id} and d.team_id = ${team.id} and d.state = any(${settledStates}) and t.id = d.target_id
      returning ${deliveryColumns}, d.log`
    if (!replayed) return fail('conflict', 'This delivery is still on its way. It is sent by itself; look at it again.')
    await sql`
      update delivery_targets set retry_at = least(retry_at, now()) where id = ${target.id} and team_id = ${team.id}`
    return { delivery: replayed, delivery_id: replayed.id }
  },
})
