// Starts a run for a delivery again, by the trigger as it is now.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import type { TriggerKind } from './judge.ts'
import { countInMinute, storeDelivery } from './storeDelivery.ts'
import { findDelivery, shownDelivery, TriggerDeliveryWithContent } from './triggerDelivery.ts'

export const replayTriggerDelivery = operation({
  id: 'replayTriggerDelivery',
  client: 'triggers.replayDelivery',
  route: 'POST /v2/trigger-deliveries/:trigger_delivery_id/replay',
  summary: 'Replay a delivery to a trigger',
  description:
    'Makes a new delivery of the same content. It goes through the filter and the message as they are now, and starts a run even if its key has ' +
    'started one before. It counts like one that comes in: in the minute of the trigger, among those that wait, and as storage.',
  scope: 'agents:write',
  status: 201,
  answer: wrapped('trigger_delivery', 'trigger_delivery_id', TriggerDeliveryWithContent),
  errors: ['not_found', 'conflict', 'entitlement_exceeded'],
  async handler({ team, caller, trigger_delivery: { id: replayed, trigger_id: triggerId }, context, sql, fail }) {
    // locked, so that it is neither deleted nor paused before this is written
    const [trigger] = await sql<{ enabled: boolean; kind: TriggerKind }>`
      select enabled, kind from triggers where id = ${triggerId} and team_id = ${team.id} for share`
    if (!trigger) return fail('not_found')
    if (!trigger.enabled) fail('conflict', 'This trigger is paused. Set enabled to true, then replay the delivery.')
    const [settled] = await sql<{
      content: string
      size_bytes: number
      key: string | null
      caused_by_run_id: string | null
    }>`
      select content::text, size_bytes, key, caused_by_run_id from trigger_deliveries
      where id = ${replayed} and team_id = ${team.id} and state <> 'waiting'`
    if (!settled) return fail('conflict', 'This delivery still waits for its turn. Look at it again.')
    if (settled.size_bytes === 0) fail('conflict', 'What came in was not kept, so it cannot be replayed.')
    // the minute of an event is counted when its run starts
    if (trigger.kind !== 'event') await countInMinute(context, triggerId)
    const { content, key, caused_by_run_id: causedByRunId } = settled
    const id = newId()
    // the cause of a delivery stays the same: a replay of an event does not open a loop
    await storeDelivery(context, sql, {
      id,
      teamId: team.id,
      triggerId,
      content,
      replay: { of: replayed, key, causedByRunId },
    })
    const made = await one(findDelivery(sql, id, team.id))
    return { trigger_delivery: shownDelivery(caller, made), trigger_delivery_id: id }
  },
})
