// Starts a run for a delivery again, by the trigger as it is now.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { findDelivery, TriggerDeliveryWithContent } from './triggerDelivery.ts'

export const replayTriggerDelivery = operation({
  id: 'replayTriggerDelivery',
  client: 'triggers.replayDelivery',
  route: 'POST /v2/trigger-deliveries/:trigger_delivery_id/replay',
  summary: 'Replay a delivery to a trigger',
  description:
    'Makes a new delivery of the same content. It goes through the filter and the message as they are now, and starts a run even if its key has ' +
    'started one before.',
  scope: 'agents:write',
  status: 201,
  answer: wrapped('trigger_delivery', 'trigger_delivery_id', TriggerDeliveryWithContent),
  errors: ['not_found', 'conflict'],
  async handler({ team, trigger_delivery: { id, trigger_id }, sql, fail }) {
    // locked, so that it is neither deleted nor paused before this is written
    const [trigger] = await sql<{ enabled: boolean }>`
      select enabled from triggers where id = ${trigger_id} and team_id = ${team.id} for share`
    if (!trigger) return fail('not_found')
    if (!trigger.enabled) fail('conflict', 'This trigger is paused. Set enabled to true, then replay the delivery.')
    const newest = newId()
    // the cause of a delivery stays the same: a replay of an event does not open a loop
    const made = await sql`
      insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, key, replay_of, caused_by_run_id)
      select ${newest}, team_id, trigger_id, content, size_bytes, key, id, caused_by_run_id
      from trigger_deliveries where id = ${id} and team_id = ${team.id} and state <> 'waiting' returning id`
    if (made.length === 0) fail('conflict', 'This delivery still waits for its turn. Look at it again.')
    return { trigger_delivery: await one(findDelivery(sql, newest, team.id)), trigger_delivery_id: newest }
  },
})
