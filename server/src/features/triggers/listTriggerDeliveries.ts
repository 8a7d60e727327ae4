// Lists what came in for a trigger, newest first, with what became of each.
import { empty, part } from '../../base/db.ts'
import { withheldEvents } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { deliveryColumns, deliveryStates, TriggerDelivery, withheldFields } from './triggerDelivery.ts'

export const listTriggerDeliveries = operation({
  id: 'listTriggerDeliveries',
  client: 'triggers.listDeliveries',
  route: 'GET /v2/triggers/:trigger_id/deliveries',
  summary: 'List deliveries to a trigger',
  description:
    'What came in within the last 30 days, without its content. Requests without a valid signature or secret were not stored.',
  scope: 'agents:read',
  query: Type.Object({
    status: Type.Optional(oneOf(deliveryStates, { description: 'Only deliveries in this state.' })),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('deliveries', TriggerDelivery),
  async handler({ team, caller, trigger, query, sql }) {
    // page and total are read only from the index; then the rows of the page
    const from = part`trigger_deliveries where trigger_id = ${trigger.id} and team_id = ${team.id}
      ${query.status === undefined ? empty : part`and state = ${query.status}`}`
    const list = { columns: part`n`, from, order: part`n desc` }
    const { rows: places, ...page } = await readPage<{ n: number }>(sql, list, query)
    const withheld = trigger.kind === 'event' ? withheldEvents(caller.scopes) : []
    // nothing of what came in is read unless it decides something
    const isWithheld =
      withheld.length === 0 ? part`false` : part`d.content #>> '{event,event}' = any(${withheld}::text[])`
    const rows = await sql<TriggerDelivery & { is_withheld: boolean }>`
      select ${deliveryColumns}, ${isWithheld} as is_withheld from trigger_deliveries d join triggers t on t.id = d.trigger_id
      where d.trigger_id = ${trigger.id} and d.team_id = ${team.id} and d.n = any(${places.map(({ n }) => n)}::bigint[])
      order by d.n desc`
    const deliveries = rows.map(({ is_withheld, ...row }) => (is_withheld ? { ...row, ...withheldFields } : row))
    return { deliveries, ...page }
  },
})
