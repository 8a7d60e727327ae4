// Lists a team's deliveries, newest first.
import { empty, part, type Part } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { eventNames } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { Delivery, deliveryColumns, deliveryStates, type DeliveryState } from './delivery.ts'

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
  answer: pageOf('deliveries', Delivery),
  async handler({ team, query, sql }) {
    const { status, event, subscription_id: subscriptionId, run_id: runId } = query
    const from = part`${runId === undefined ? part`deliveries` : ofRun(runId)} where team_id = ${team.id}
      ${subscriptionId === undefined ? empty : part`and ${toWebhook(subscriptionId, team.id)}`}
      ${status === undefined ? empty : part`and ${inState(status)}`}
      ${event === undefined ? empty : part`and event = ${event}`}`
    // page and total are read only from an index, which has all columns of the filter; then the rows of the page
    const list = { columns: part`n`, from, order: part`n desc` }
    const { rows: places, ...page } = await readPage<{ n: number }>(sql, list, query)
    const deliveries = await sql<Delivery>`
      select ${deliveryColumns} from deliveries d join delivery_targets t on t.id = d.target_id
      where d.team_id = ${team.id} and d.n = any(${places.map(({ n }) => n)}::bigint[]) order by d.n desc`
    return { deliveries, ...page }
  },
})

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
