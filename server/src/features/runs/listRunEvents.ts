// Lists the events of a run, oldest first, each with what became of its deliveries.
import { one, part, type Sql } from '../../base/db.ts'
import { eventNames, placesOf, withheldEvents, type EventName } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { truncatedField } from '../../kit/pageBytes.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Id, named, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { DeliveryCounts, readListed, withDeliveryCounts, type EventPlace } from './listedEvents.ts'

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
    const found = await sql<EventPlace>`
      select b.id, e.place from ${placesOf(part`event_batches`)}
      where b.run_id = ${run.id} and b.team_id = ${team.id} and e.event <> all(${withheldEvents(caller.scopes)}::text[])
      order by b.last, e.place limit ${limit} offset ${offset}`
    const rows = await readListed<Row>(sql, team.id, found, 'sequence')
    const events = await withDeliveryCounts(sql, team.id, rows, () => run.id)
    return { events, total: await countEvents(sql, team.id, run.id, withheldEvents(caller.scopes)), limit, offset }
  },
})

type Row = Omit<RunEvent, 'deliveries'>

async function countEvents(sql: Sql, teamId: string, runId: string, withheld: EventName[]): Promise<number> {
  const counted = await one(sql<{ total: number }>`
    select count(*) as total from ${placesOf(part`event_batches`)}
    where b.run_id = ${runId} and b.team_id = ${teamId} and e.event <> all(${withheld}::text[])`)
  return counted.total
}
