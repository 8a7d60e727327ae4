// Lists the events of a run, oldest first, each with what became of its deliveries.
import { empty, one, part, type Part, type Sql } from '../../base/db.ts'
import { eventNames, withheldEvents } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { beginningOf, listed, truncatedField, type LongColumn } from '../../kit/pageBytes.ts'
import { pageOf, paging, readLongRows } from '../../kit/paging.ts'
import { Id, named, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

const Count = Type.Integer({ minimum: 0 })

const DeliveryCounts = named(
  'DeliveryCounts',
  Type.Object({
    total: Count,
    delivered: Count,
    retrying: Type.Integer({ minimum: 0, description: 'Tried without success so far, and due again.' }),
    dead: Type.Integer({ minimum: 0, description: 'Given up.' }),
  }),
)

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
    const list = { table: part`events`, where, order: part`events.sequence`, columns, long: [data] }
    const rows = await readLongRows<Omit<RunEvent, 'deliveries'>>(sql, list, part`limit ${limit} offset ${offset}`)
    const counts = await countDeliveries(sql, team.id, run.id, rows)
    const events = rows.map((row) => ({ ...row, deliveries: counts.get(row.id) ?? none }))
    return { events, total: await countEvents(sql, team.id, run.id, kinds), limit, offset }
  },
})

const data: LongColumn = {
  whole: part`events.data`,
  bytes: part`octet_length(events.data::text)`,
  short: part`to_json(${beginningOf(part`events.data::text`)})`,
}

const columns = part`events.id, events.sequence, events.event, events.created_at, ${listed(data)} as data`

/** Asks for the team by the run, so that the index alone can count the events of a long run. */
async function countEvents(sql: Sql, teamId: string, runId: string, kinds: Part): Promise<number> {
  const counted = await one(sql<{ total: number }>`
    select count(*) as total from events
    where run_id = (select id from runs where id = ${runId} and team_id = ${teamId}) ${kinds}`)
  return counted.total
}

const none = { total: 0, delivered: 0, retrying: 0, dead: 0 }

async function countDeliveries(
  sql: Sql,
  teamId: string,
  runId: string,
  events: { id: string }[],
): Promise<Map<string, RunEvent['deliveries']>> {
  if (events.length === 0) return new Map()
  const rows = await sql<RunEvent['deliveries'] & { event_id: string }>`
    select event_id, count(*) as total, count(*) filter (where state = 'delivered') as delivered,
      count(*) filter (where state = 'retrying') as retrying, count(*) filter (where state = 'dead') as dead
    from deliveries
    where run_id = ${runId} and team_id = ${teamId} and event_id = any(${events.map(({ id }) => id)}::uuid[])
    group by event_id`
  return new Map(rows.map(({ event_id, ...counts }) => [event_id, counts]))
}
