// What lists of events share: their data, which may be cut, and what became of their deliveries.
import { part, type Sql } from '../../base/db.ts'
import { batchesWith, eventText, rowsOf } from '../../kit/event.ts'
import {
  beginningOf,
  listed,
  markTruncated,
  truncatedColumn,
  withinPage,
  type LongColumn,
} from '../../kit/pageBytes.ts'
import { named, Type, type Static } from '../../kit/schema.ts'

const Count = Type.Integer({ minimum: 0 })

export const DeliveryCounts = named(
  'DeliveryCounts',
  Type.Object({
    total: Count,
    delivered: Count,
    retrying: Type.Integer({ minimum: 0, description: 'Tried without success so far, and due again.' }),
    dead: Type.Integer({ minimum: 0, description: 'Given up.' }),
  }),
)

type DeliveryCounts = Static<typeof DeliveryCounts>

/** An event by its batch and its place in it. */
export interface EventPlace {
  id: string
  place: number
}

const eventData: LongColumn = {
  whole: part`listed.data::json`,
  bytes: part`octet_length(listed.data)`,
  short: part`to_json(${beginningOf(part`listed.data`)})`,
}

/** The events of a page in their order, each with its data: it is cut from where the page would be too large. */
export async function readListed<Row extends { truncated?: boolean }>(
  sql: Sql,
  teamId: string,
  places: EventPlace[],
  column: 'sequence' | 'run_id',
): Promise<Row[]> {
  const batches = batchesWith(part`select unnest(${[...new Set(places.map(({ id }) => id))]}::uuid[])`)
  const rows = await sql<Row>`
    with listed as materialized (
      select w.n as place, e.id, e.sequence, e.event, b.run_id, b.created_at, ${eventText} as data
      from ${rowsOf(batches)}
      join unnest(${places.map(({ id }) => id)}::uuid[], ${places.map(({ place }) => place)}::int[]) with ordinality as w (id, place, n)
        on w.id = b.id and w.place = e.place and b.team_id = ${teamId}
    )
    select listed.id, ${column === 'sequence' ? part`listed.sequence` : part`listed.run_id`}, listed.event, listed.created_at,
      ${listed(eventData)} as data, ${truncatedColumn([eventData])}
    from ${withinPage(part`select id, place, octet_length(data) as bytes from listed`)} page join listed on listed.id = page.id
    order by page.place`
  return markTruncated(rows)
}

const none = { total: 0, delivered: 0, retrying: 0, dead: 0 }

/** Deliveries are found by the run of their event and by the event; those of an event without a run by the event alone. */
export async function withDeliveryCounts<Row extends { id: string }>(
  sql: Sql,
  teamId: string,
  rows: Row[],
  runOf: (row: Row) => string | null,
): Promise<(Row & { deliveries: DeliveryCounts })[]> {
  const ids = rows.map(({ id }) => id)
  const runIds = [...new Set(rows.flatMap((row) => runOf(row) ?? []))]
  const hasOthers = rows.some((row) => runOf(row) === null)
  const found =
    rows.length === 0
      ? []
      : await sql<DeliveryCounts & { event_id: string }>`
    select event_id, count(*) as total, count(*) filter (where state = 'delivered') as delivered,
      count(*) filter (where state = 'retrying') as retrying, count(*) filter (where state = 'dead') as dead
    from (
      select event_id, state from deliveries
      where run_id = any(${runIds}::uuid[]) and event_id = any(${ids}::uuid[]) and team_id = ${teamId}
      union all
      select event_id, state from deliveries
      where ${hasOthers}::boolean and run_id is null and event_id = any(${ids}::uuid[]) and team_id = ${teamId}
      union all
      select event_id(b.batch_id, place), case when get_bit(b.delivered, place) = 1 then 'delivered' else 'new' end
      from (select distinct x.id from unnest(${ids}::uuid[]) as e (id) cross join lateral (values (e.id), (event_batch_id(e.id))) x (id)) one
      cross join lateral (select * from delivery_batches where batch_id = one.id offset 0) b, generate_series(0, length(b.kinds) - 1) place
      where b.team_id = ${teamId} and get_bit(b.waiting | b.delivered, place) = 1
        and event_id(b.batch_id, place) = any(${ids}::uuid[])) made
    group by event_id`
  const counts = new Map(found.map(({ event_id, ...made }) => [event_id, made]))
  return rows.map((row) => ({ ...row, deliveries: counts.get(row.id) ?? none }))
}
