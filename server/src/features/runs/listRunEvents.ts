// Lists the events of a run, oldest first, each with what became of its deliveries.
import { empty, one, part, type Part, type Sql } from '../../base/db.ts'
import { eventNames, withheldEvents } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { listed, truncatedField } from '../../kit/pageBytes.ts'
import { pageOf, paging, readLongRows } from '../../kit/paging.ts'
import { Id, named, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { DeliveryCounts, eventData, withDeliveryCounts } from './listedEvents.ts'

const RunEvent = named(
  'RunEvent',
  Type.Object({
    id: Id,
    sequence: Type.Integer({ minimum: 1, description: 'Its number in the run, and its id in the run’s stream.' }),
    event: oneOf(eventNames),
    created_at: Time,
    data: Type.Unknown({ description: 'As webhooks and streams carry it.' }),
    deliveries: DeliveryCounts,
    truncated: truncatedField,
  }),
)
type RunEvent = Static<typeof RunEvent>

export const listRunEvents = operation({
  id: 'listRunEvents',
  client: 'runs.listEvents',
  route: 'GET /v2/runs/:run_id/event-log',
  summary: 'List the events of a run',
  description:
    'Oldest first, with how many deliveries each has and how many of them failed; listWebhookDeliveries with `run_id` has the deliveries ' +
    'themselves. Events that were erased after their time are missing. A credential without `files:read` gets no events about files. Long ' +
    'data is cut from where the page exceeds 4 MiB (`truncated`).',
  scope: 'runs:read',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('events', RunEvent),
  async handler({ team, run, caller, query: { limit, offset }, sql }) {
    const withheld = withheldEvents(caller.scopes)
    const kinds = withheld.length === 0 ? empty : part`and event <> all(${withheld}::text[])`
    const where = part`run_id = ${run.id} and team_id = ${team.id} ${kinds}`
    const list = { table: part`events`, where, order: part`events.sequence`, columns, long: [eventData] }
    const rows = await readLongRows<Omit<RunEvent, 'deliveries'>>(sql, list, part`limit ${limit} offset ${offset}`)
    const events = await withDeliveryCounts(sql, team.id, rows, () => run.id)
    return { events, total: await countEvents(sql, team.id, run.id, kinds), limit, offset }
  },
})

const columns = part`events.id, events.sequence, events.event, events.created_at, ${listed(eventData)} as data`

/** Asks for the team by the run, so that the index alone can count the events of a long run. */
async function countEvents(sql: Sql, teamId: string, runId: string, kinds: Part): Promise<number> {
  const counted = await one(sql<{ total: number }>`
    select count(*) as total from events
    where run_id = (select id from runs where id = ${runId} and team_id = ${teamId}) ${kinds}`)
  return counted.total
}
