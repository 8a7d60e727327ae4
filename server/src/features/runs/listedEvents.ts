// What lists of events share: their data, which may be cut, and what became of their deliveries.
import { part, type Sql } from '../../base/db.ts'
import { beginningOf, type LongColumn } from '../../kit/pageBytes.ts'
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

export const eventData: LongColumn = {
  whole: part`events.data`,
  bytes: part`octet_length(events.data::text)`,
  short: part`to_json(${beginningOf(part`events.data::text`)})`,
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
      where ${hasOthers}::boolean and run_id is null and event_id = any(${ids}::uuid[]) and team_id = ${teamId}) made
    group by event_id`
  const counts = new Map(found.map(({ event_id, ...made }) => [event_id, made]))
  return rows.map((row) => ({ ...row, deliveries: counts.get(row.id) ?? none }))
}
