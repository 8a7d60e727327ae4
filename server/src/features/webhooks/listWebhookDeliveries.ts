// Lists a team's deliveries, newest first.
import { empty, literals, one, part, type Part, type Sql } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { eventNames, letterOf, type EventName } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { countedAhead, pageOf, paging, totalAhead } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { Delivery, deliveryColumns, deliveryStates, waitingStates, type DeliveryState } from './delivery.ts'
import { hasWaiting } from './dropWaiting.job.ts'

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  client: 'deliveries.list',
  route: 'GET /v2/teams/:teamId/webhook-deliveries',
  summary: 'List deliveries',
  description:
    'One for each event and each of its receivers, webhooks and callback URLs alike. The dead letters are those with `status=dead`.',
  scope: 'webhooks:manage',
  query: Type.Object({
    status: Type.Optional(oneOf(deliveryStates, { description: 'Only deliveries in this state.' })),
    event: Type.Optional(oneOf(eventNames, { description: 'Only deliveries of this event.' })),
    subscription_id: Type.Optional(Type.String({ description: 'Only deliveries to this webhook.' })),
    run_id: Type.Optional(Type.String({ description: 'Only deliveries of events of this run.' })),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('deliveries', Delivery, totalAhead),
  async handler({ team, query, sql }) {
    const { status, event, subscription_id: subscriptionId, run_id: runId, limit, offset } = query
    const dropped = await droppedIn(sql, team.id)
    const ofTeam = part`where team_id = ${team.id} ${subscriptionId === undefined ? empty : part`and ${toWebhook(subscriptionId, team.id)}`}`
    // those that are rows of their own: places and total are read only from an index, which has all columns of the filter
    const rows = part`${runId === undefined ? part`deliveries` : ofRun(runId)} ${ofTeam}
      ${status === undefined ? empty : part`and ${inState(status)}`}
      ${event === undefined ? empty : part`and event = ${event}`}
      ${dropped.length === 0 ? empty : part`and not (target_id = any(${dropped}::uuid[]) and state in (${literals(waitingStates)}))`}`
    // those in batches: each batch has some that fit, so the first ones of the list are in as many batches at most
    const batches = part`
      (select b.*, ${fittingOf(status, event, dropped)} as fitting from ${runId === undefined ? part`delivery_batches` : batchesOfRun(runId)} b) b
      ${ofTeam} and ${mayFit(status)} and ${mayHold(event)} and bit_count(fitting) > 0`
    const reached = limit + offset
    const places = await sql<{ n: number; event_id: string }>`
      select n, event_id from (
        (select n, event_id from ${rows} order by n desc, event_id desc limit ${reached}::bigint)
        union all
        select b.n, event_id(b.batch_id, place)
        from (select * from ${batches} order by n desc limit ${reached}::bigint) b, generate_series(0, length(b.kinds) - 1) place
        where get_bit(b.fitting, place) = 1) places
      order by n desc, event_id desc limit ${limit} offset ${offset}`
    // in the order of the list, whose index has them, however many other teams have
    const counted = part`order by n desc limit ${reached + countedAhead}::bigint`
    const { total } = await one(sql<{ total: number }>`
      select least(${reached + countedAhead}::bigint, (select count(*) from (select from ${rows} ${counted}) alone)
        + (select coalesce(sum(bit_count(fitting)), 0)::bigint from (select fitting from ${batches} ${counted}) batches)) as total`)
    const deliveries = await sql<Delivery>`
      select ${deliveryColumns} from every_delivery d join delivery_targets t on t.id = d.target_id
      where d.team_id = ${team.id} and d.n = any(${places.map(({ n }) => n)}::bigint[])
        and (d.n, d.event_id) in (
          select * from unnest(${places.map(({ n }) => n)}::bigint[], ${places.map(({ event_id }) => event_id)}::uuid[]))
      order by d.n desc, d.event_id desc`
    return { deliveries, total, limit, offset }
  },
})

/** The deleted webhooks of which something waits to be dropped (dropWaiting.job.ts): nobody sees it any more. */
async function droppedIn(sql: Sql, teamId: string): Promise<string[]> {
  const found = await sql<{ id: string }>`
    select t.id from delivery_targets t where t.team_id = ${teamId} and t.deleted_at is not null and ${hasWaiting}`
  return found.map(({ id }) => id)
}

/** Which deliveries of a batch fit, a bit for each. */
function fittingOf(status: DeliveryState | undefined, event: EventName | undefined, dropped: string[]): Part {
  const waiting =
    dropped.length === 0
      ? part`b.waiting`
      : part`case when b.target_id = any(${dropped}::uuid[]) then b.waiting # b.waiting else b.waiting end`
  const inState =
    status === 'new' ? waiting : status === 'delivered' ? part`b.delivered` : part`(${waiting} | b.delivered)`
  return event === undefined ? inState : part`(${inState} & wanted_events(b.kinds, array[${event}::text], '{}'))`
}

/** Condition on batches: no other has a delivery in this state. The index of those that wait is used only where the statement says so. */
function mayFit(status: DeliveryState | undefined): Part {
  if (status === undefined || status === 'delivered') return part`true`
  return status === 'new' ? part`has_waiting` : part`false`
}

/** Condition on batches: only these can have a delivery of this event. A search for a rare event passes all batches, and to split one costs 30 µs. */
const mayHold = (event: EventName | undefined): Part =>
  event === undefined ? part`true` : part`strpos(kinds, ${letterOf[event]}) > 0`

/** The batches of a run, found by the run alone. */
const batchesOfRun = (id: string): Part => part`
  (select b.* from event_batches e cross join lateral (select * from delivery_batches where batch_id = e.id offset 0) b
   where e.run_id = ${idForFilter(id)} offset 0)`

/** The deliveries of a run, found by the run alone: in the order of the list, those of the whole team would be read until they come. */
const ofRun = (id: string): Part => part`
  (select * from deliveries where run_id = ${idForFilter(id)} offset 0) deliveries`

/** Condition on deliveries: they go to this webhook of the team. The target of a callback is not a webhook. */
const toWebhook = (id: string, teamId: string): Part => part`
  target_id = (
    select id from delivery_targets where id = ${idForFilter(id)} and team_id = ${teamId} and kind = 'subscription')`

/** The index of the rarer states is used only where the statement itself says that it is one of them. */
const inState = (status: DeliveryState): Part =>
  status === 'delivered' || status === 'new'
    ? part`state = ${status}`
    : part`state = ${status} and state in ('retrying', 'replaying', 'dead')`
