// A delivery: one event on its way to one target, with every attempt that was made.
import { literals, part, type Part, type Sql } from '../../base/db.ts'
import { eventNames } from '../../kit/event.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const deliveryStates = ['new', 'retrying', 'replaying', 'delivered', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]
/** Nothing will be sent any more, unless somebody asks for it again. */
export const settledStates = ['delivered', 'dead'] as const

/** The others. */
export const waitingStates = ['new', 'retrying', 'replaying'] as const

/** Where an attempt failed, from the guard to the answer. */
const stages = ['guard', 'dns', 'connect', 'tls', 'timeout', 'protocol', 'status'] as const

const Stage = nullable(Type.Integer({ minimum: 0 }))

const AttemptTiming = named(
  'AttemptTiming',
  Type.Object(
    { dns_ms: Stage, connect_ms: Stage, tls_ms: Stage, wait_ms: Stage, answer_ms: Stage },
    {
      description:
        'How long each stage took: the name, the connection, TLS, until the status came, and until the last byte that was read. Null: not ' +
        'reached, or not needed because an open connection was used again.',
    },
  ),
)

export const Attempt = named(
  'DeliveryAttempt',
  Type.Object({
    at: Time,
    ok: Type.Boolean(),
    status: nullable(Type.Integer({ description: 'Of the answer, when there was one.' })),
    stage: nullable(oneOf(stages, { description: 'Where it failed.' })),
    error: nullable(Type.String()),
    latency_ms: Type.Integer(),
    timing: Type.Optional(AttemptTiming),
    answer: nullable(Type.String({ description: 'The first 4 KiB of what the receiver answered.' })),
  }),
)
export type Attempt = Static<typeof Attempt>

const about = {
  id: Id,
  delivery_id: Id,
  team_id: Id,
  subscription_id: nullable(Id),
  url: Type.String(),
  event: oneOf(eventNames),
  event_id: Id,
  run_id: nullable(Id),
  status: oneOf(deliveryStates, {
    description:
      '`new`: not tried yet. `retrying`: tried, and due again. `replaying`: asked for again. `dead`: given up, kept and replayable.',
  }),
  attempts: Type.Integer({ description: 'So far, since it was made or last replayed.' }),
  next_attempt_at: nullable(Time),
  reason: nullable(Type.String({ description: 'Why it was given up.' })),
  created_at: Time,
  settled_at: nullable(Time),
}

/** A delivery in lists. */
export const Delivery = named('Delivery', Type.Object(about))
export type Delivery = Static<typeof Delivery>

export const DeliveryWithLog = named(
  'DeliveryWithAttempts',
  Type.Object({ ...about, log: Type.Array(Attempt, { description: 'Every attempt, the oldest first.' }) }),
)
export type DeliveryWithLog = Static<typeof DeliveryWithLog>

/** Columns of `deliveries d join delivery_targets t on t.id = d.target_id`, or of `every_delivery d`. */
export const deliveryColumns = part`
  d.id, d.id as delivery_id, d.team_id, case when t.kind = 'subscription' then t.id end as subscription_id, t.url, d.event, d.event_id,
  d.run_id, d.state as status, d.attempts, d.due_at as next_attempt_at, d.reason, d.created_at, d.settled_at`

/** The batches in which deliveries with this id can be: both ids begin with the time of the event. */
const batchesLike = (id: string): Part => part`
  batch_id between ${`${id.slice(0, 13)}-0000-0000-000000000000`}::uuid
    and ${`${id.slice(0, 13)}-ffff-ffff-ffffffffffff`}::uuid`

/** A delivery by its id, wherever it is, as a row of every_delivery. */
export const deliveryWith = (id: string, teamId: string): Part => {
  const columns = part`id, team_id, target_id, run_id, event_id, event, created_at, state, due_at, attempts, log, reason, settled_at`
  return part`
    select ${columns} from deliveries where id = ${id} and team_id = ${teamId}
    union all
    select ${columns} from delivery_places where ${batchesLike(id)} and id = ${id} and team_id = ${teamId}`
}

/** What a deleted webhook did not get is dropped, also while its rows are still there (dropWaiting.job.ts). */
const findDelivery = (sql: Sql, id: string, teamId: string): Promise<DeliveryWithLog[]> => sql<DeliveryWithLog>`
  select ${deliveryColumns}, d.log from (${deliveryWith(id, teamId)}) d join delivery_targets t on t.id = d.target_id
  where t.deleted_at is null or d.state in (${literals(settledStates)})`

export const delivery = resource('delivery', findDelivery)

declare module '../../kit/resources.ts' {
  interface Resources {
    delivery: DeliveryWithLog
  }
}
