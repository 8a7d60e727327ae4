// A delivery to a trigger: one thing that came in, and what became of it.
import { part, type Part, type Sql } from '../../base/db.ts'
import { isRecord } from '../../base/isRecord.ts'
import type { Caller } from '../../kit/credential.ts'
import { withheldEvents } from '../../kit/event.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const deliveryStates = ['waiting', 'started', 'filtered', 'repeated', 'dropped', 'failed'] as const

const exceptOfEvents =
  'Of an event it is null for credentials without the scope of that event (streamTeamEvents lists them).'

const deliveryFields = {
  id: Id,
  trigger_id: Id,
  agent_id: Id,
  status: oneOf(deliveryStates, {
    description:
      '`waiting` for its turn; `started` a run; `filtered` out; `repeated`: its key had started a run before; `dropped`: the trigger was paused, ' +
      'the delivery would close a loop, too many of an event waited, or the team may store no more; `failed`. `reason` says why.',
  }),
  key: nullable(
    Type.String({ description: `By which repetitions are known; the first 200 characters. ${exceptOfEvents}` }),
  ),
  run_id: nullable(Id),
  reason: nullable(
    Type.String({ description: `Why it was dropped or failed, which may quote what came in. ${exceptOfEvents}` }),
  ),
  replay_of: nullable(
    Type.Unsafe<string>({ ...Id, description: 'The delivery that this one repeats, because somebody asked for it.' }),
  ),
  size_bytes: Type.Integer({ minimum: 0 }),
  received_at: Time,
  settled_at: nullable(Time),
}

export const TriggerDelivery = named('TriggerDelivery', Type.Object(deliveryFields))
export type TriggerDelivery = Static<typeof TriggerDelivery>

export const TriggerDeliveryWithContent = named(
  'TriggerDeliveryWithContent',
  Type.Object({
    ...deliveryFields,
    content: nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What came in, as expressions read it: `body`, `headers` and `query`, or `event`, `item` or `mail`. ' +
          `Null where it was not kept: \`size_bytes\` is 0, and \`reason\` says why. ${exceptOfEvents}`,
      }),
    ),
  }),
)
export type TriggerDeliveryWithContent = Static<typeof TriggerDeliveryWithContent>

/** Columns of `trigger_deliveries d join triggers t on t.id = d.trigger_id`. */
export const deliveryColumns: Part = part`
  d.id, d.trigger_id, t.agent_id, d.state as status, d.key, d.run_id, d.reason, d.replay_of, d.size_bytes, d.received_at, d.settled_at`

export const findDelivery = (sql: Sql, id: string, teamId: string): Promise<TriggerDeliveryWithContent[]> =>
  sql<TriggerDeliveryWithContent>`
    select ${deliveryColumns}, case when d.size_bytes > 0 then d.content end as content from trigger_deliveries d join triggers t on t.id = d.trigger_id
    where d.id = ${id} and d.team_id = ${teamId}`

/** The delivery as this caller gets it: of an event only what streams would give them too. */
export function shownDelivery(caller: Caller, delivery: TriggerDeliveryWithContent): TriggerDeliveryWithContent {
  const event = delivery.content?.['event']
  const isWithheld = isRecord(event) && withheldEvents(caller.scopes).some((name) => name === event['event'])
  return isWithheld ? { ...delivery, ...withheldFields, content: null } : delivery
}

/** The key is made of the event, and why it failed may quote the event. */
export const withheldFields = { key: null, reason: null }

export const triggerDelivery = resource('trigger_delivery', findDelivery)

declare module '../../kit/resources.ts' {
  interface Resources {
    trigger_delivery: TriggerDeliveryWithContent
  }
}
