// The rows of deliveries that were not tried, or delivered at once: the events of one change to one target are one row (decision 0057).
import { hash } from 'node:crypto'
import { jsonTextColumn, plainColumn } from '../../base/columns.ts'
import { part, type Part, type Sql } from '../../base/db.ts'
import { storableJson } from '../../base/storable.ts'
import { noteDeliveries } from '../../engine/counting/usage.ts'
import { partsOfBatch, type StoredEvents } from '../../kit/eventsOfBatch.ts'
import { isDisabled, unlessDeleted, type AttemptResult, type BatchPlace, type Loaded } from './deliveryRows.ts'

interface LoadedBatch extends StoredEvents {
  n: number
  target_id: string
  created_ms: number
  /** A digit for each event; 1: it waits. */
  waiting: string
  /** How many of those that wait are wanted at most. */
  max: number
}

interface Wanted {
  targetId: string
  /** How many deliveries about. */
  max: number
  /** The n of each batch that is in memory. */
  known: number[]
}

/**
 * The next deliveries of each target in their order, without the batches that are in memory. Of a batch with more than `max`, only the first
 * ones are given.
 */
export async function loadBatches(sql: Sql, wanted: Wanted[]): Promise<Loaded[]> {
  // each target gets its part of one list: with the whole list, every batch would be compared with those of all targets
  let until = 0
  const ends = wanted.map(({ known }) => (until += known.length))
  const batches = await sql<LoadedBatch>`
    with d as materialized (
      select d.*, t.id as target_id, t.max
      from unnest(${wanted.map(({ targetId }) => targetId)}::uuid[], ${wanted.map(({ max }) => max)}::int[],
        ${wanted.map(({ known }) => known.length)}::int[], ${ends}::int[]) as t (id, max, known, until)
      ${unlessDeleted}
      cross join lateral (
        select w.n, w.batch_id, w.waiting, sum(bit_count(w.waiting)) over (order by w.n) - bit_count(w.waiting) as before
        from next_batches(t.id, (${plainColumn(wanted.flatMap(({ known }) => known))}::bigint[])[t.until - t.known + 1 : t.until], t.max) w) d
      where d.before < t.max
    )
    select d.n, d.target_id, d.max, d.waiting::text as waiting, b.id, b.team_id, b.run_id, b.agent_id, b.case_id, b.last, b.kinds,
      b.entries::text as entries, (extract(epoch from b.created_at) * 1000)::float8 as created_ms
    -- one by one, by their ids: a join could be planned as a walk over all events
    from d cross join lateral (select * from event_batches where id = d.batch_id offset 0) b order by d.n`
  return batches.flatMap(deliveriesOf)
}

function deliveriesOf(batch: LoadedBatch): Loaded[] {
  const { n, id: batchId, target_id, run_id, waiting, max } = batch
  const created_at = new Date(batch.created_ms)
  const size = waiting.length
  const all = partsOfBatch(batch, (place) => waiting[place] === '1')
  const isInPart = all.length > max
  return all.slice(0, max).map(({ id, event, place, data }) => ({
    id: deliveryId(id, target_id),
    target_id,
    run_id,
    event,
    created_at,
    data,
    attempts: 0,
    state: 'new',
    batch: { n, id: batchId, place, size, isInPart },
  }))
}

/** Makes what delivery_id of the database makes. */
function deliveryId(eventId: string, targetId: string): string {
  const time = eventId.slice(0, 13)
  const rest = hash('md5', eventId + targetId)
  return `${time}-8${rest.slice(13, 16)}-a${rest.slice(17, 20)}-${rest.slice(20)}`
}

/** A delivery that is in a batch. */
export type InBatch = AttemptResult & { delivery: { batch: BatchPlace } }

/** First attempts that succeeded, of one batch to one target. */
interface DeliveredRow {
  batch_id: string
  target_id: string
  /** A digit for each event; 1: it was delivered. */
  places: string
  attempts: string
}

/** Writes first attempts that succeeded, those of a batch with one row, without waiting for the disk (see markResults). */
export async function markDelivered(sql: Sql, results: InBatch[]): Promise<void> {
  if (results.length === 0) return
  const rows = [...Map.groupBy(results, ({ delivery }) => delivery.batch.n).values()].map(deliveredRow)
  const changed = await markWaiting(sql, rows)
  if (changed.length === 0) return
  const isChanged = new Set(changed.map(({ batch_id, target_id }) => batch_id + target_id))
  await markStillWaiting(
    sql,
    rows.filter(({ batch_id, target_id }) => isChanged.has(batch_id + target_id)),
  )
}

/** Gives the row of a batch. Most have one result: the events of no run, and those that came last. */
function deliveredRow(some: InBatch[]): DeliveredRow {
  const { batch, target_id } = some[0]!.delivery
  const places = batch.size === 1 ? '1' : placesOf(some.map(({ delivery }) => delivery.batch))
  const attempts = some.length === 1 ? storedAttempt(some[0]!) : some.map(storedAttempt).join(',')
  return { batch_id: batch.id, target_id, places, attempts }
}

/**
 * Marks rows of which all these deliveries wait; answers with the other rows. Each row is looked up by its key and changed at its place,
 * so no plan reads the table, however small it was when the plan was made: the limit takes none away, but lets the plan expect one row. The
 * key is asked again, since every part of the table has a row at that place.
 */
const markWaiting = (sql: Sql, rows: DeliveredRow[]) => sql<{ batch_id: string; target_id: string }>`
  with ${resultsOf(rows)},
  found as materialized (
    select b.at, r.batch_id, r.target_id, r.places, r.attempts from result r cross join lateral (
      select ctid as at from delivery_batches where batch_id = r.batch_id and target_id = r.target_id offset 0) b
    limit ${rows.length}::int
  ),
  marked as (
    update delivery_batches b set ${delivered(part`f`)} from found f
    where b.ctid = f.at and b.batch_id = f.batch_id and b.target_id = f.target_id and b.waiting & f.places = f.places
    returning b.batch_id, b.target_id, b.team_id, f.places
  ),
  used as (${noteDeliveries(part`marked`, part`sum(bit_count(places))`)})
  select r.batch_id, r.target_id from result r
  where (select count(*) from marked) < ${rows.length}::int and (r.batch_id, r.target_id) not in (select m.batch_id, m.target_id from marked m)`

/** Marks what still waits of rows that somebody else has changed since they were loaded. */
const markStillWaiting = (sql: Sql, rows: DeliveredRow[]) => sql`
  with ${resultsOf(rows)},
  locked as materialized (
    select b.batch_id, b.target_id, b.team_id, b.waiting & r.places as places, r.attempts
    from result r cross join lateral (
      select * from delivery_batches where batch_id = r.batch_id and target_id = r.target_id for update) b
  ),
  marked as (
    update delivery_batches b set ${delivered(part`l`)}
    from locked l where b.batch_id = l.batch_id and b.target_id = l.target_id and bit_count(l.places) > 0
      and b.batch_id = any(${rows.map(({ batch_id }) => batch_id)}::uuid[])
  )
  ${noteDeliveries(part`locked where bit_count(places) > 0`, part`sum(bit_count(places))`)}`

/** In the order in which all writers lock them. */
const resultsOf = (rows: DeliveredRow[]): Part => part`
  quick as materialized (select set_config('synchronous_commit', 'off', true)),
  result as materialized (
    select r.batch_id, r.target_id, r.places::bit varying as places, r.attempts
    from quick, unnest(${plainColumn(rows.map(({ batch_id }) => batch_id))}::uuid[], ${plainColumn(rows.map(({ target_id }) => target_id))}::uuid[],
      ${plainColumn(rows.map(({ places }) => places))}::text[],
      ${jsonTextColumn(rows.map(({ attempts }) => attempts))}) as r (
        batch_id, target_id, places, attempts)
    order by r.batch_id, r.target_id
  )`

const delivered = (from: Part): Part => part`
  waiting = b.waiting & ~${from}.places, delivered = b.delivered | ${from}.places,
  log = concat(nullif(b.log, '') || ',', '[', floor(extract(epoch from now()) * 1000)::bigint, ',[', ${from}.attempts, ']]')`

let parsed = { text: '', ms: NaN }

/** Under load many attempts in a row began in the same millisecond. */
function millisecondsOf(at: string): number {
  if (parsed.text !== at) parsed = { text: at, ms: Date.parse(at) }
  return parsed.ms
}

/** Gives an attempt as the column `log` has it (migration 0097). */
function storedAttempt({ delivery, outcome }: InBatch): string {
  const { at, status, latency_ms, timing, answer } = outcome.attempt
  const { dns_ms = null, connect_ms = null, tls_ms = null, wait_ms = null, answer_ms = null } = timing ?? {}
  const stages = `${dns_ms},${connect_ms},${tls_ms},${wait_ms},${answer_ms}`
  return `[${delivery.batch.place},${millisecondsOf(at)},${status},${latency_ms},[${stages}],${answer === null ? null : storableJson(answer)}]`
}

/** A digit for each event of a batch; 1: it is one of these. */
function placesOf(some: BatchPlace[]): string {
  const digits = Array<string>(some[0]!.size).fill('0')
  for (const { place } of some) digits[place] = '1'
  return digits.join('')
}

/** Makes deliveries of batches rows of their own: then anything can become of them. */
export async function setApart(sql: Sql, deliveries: { target_id: string; batch: BatchPlace }[]): Promise<void> {
  if (deliveries.length === 0) return
  const batches = [...Map.groupBy(deliveries, ({ batch }) => batch.n).values()]
  await sql`
    select set_apart(m.batch_id, m.target_id, m.places::bit varying) from (
      select * from unnest(
        ${batches.map(([one]) => one!.batch.id)}::uuid[], ${batches.map(([one]) => one!.target_id)}::uuid[],
        ${batches.map((some) => placesOf(some.map(({ batch }) => batch)))}::text[]) as u (batch_id, target_id, places)
      order by batch_id, target_id) m`
}

/** The same with the delivery of one event, if it is in a batch and was delivered. */
export async function setDeliveredApart(sql: Sql, eventId: string, targetId: string): Promise<void> {
  await sql`
    select set_apart(b.batch_id, b.target_id, set_bit(b.waiting # b.waiting, p.place, 1))
    from delivery_batches b
    cross join lateral (
      select case when b.batch_id = ${eventId} then 0 else ('x' || right(${eventId}::text, 4))::bit(16)::int end as place) p
    where b.batch_id in (${eventId}, event_batch_id(${eventId})) and b.target_id = ${targetId} and p.place < length(b.delivered)
      and get_bit(b.delivered, least(p.place, length(b.delivered) - 1)) = 1`
}

/** The same with all that wait for disabled targets, at most `max` batches; answers with how many batches. */
export async function setDisabledApart(sql: Sql, max: number): Promise<number> {
  const apart = await sql`
    select set_apart(d.batch_id, d.target_id, d.waiting) from (
      select b.batch_id, b.target_id, b.waiting from delivery_targets t cross join lateral (
        select * from delivery_batches where target_id = t.id and has_waiting limit ${max}) b
      where ${isDisabled} limit ${max}) d
    order by d.batch_id, d.target_id`
  return apart.length
}

/** The same with all of a run that wait for one target. */
export async function setRunApart(sql: Sql, targetId: string, runId: string): Promise<void> {
  await sql`
    select set_apart(d.batch_id, d.target_id, d.waiting) from event_batches e cross join lateral (
      select * from delivery_batches where batch_id = e.id and target_id = ${targetId} and has_waiting offset 0) d
    where e.run_id = ${runId} order by d.batch_id`
}

/** What was sent to a team in a part of the order of all deliveries: behind `after`, up to `end`. */
export interface Piece {
  after: number
  end: number
}

interface Since {
  team_id: string
  subscription_id: string
  since: string
  /** Kinds of events that are left out. */
  withheld?: string[]
}

/** The same with all in a piece that a webhook got since some time, at most `max` batches; answers with the n up to which it came. */
export async function setSinceApart(sql: Sql, asked: Since, { after, end }: Piece, max: number): Promise<number> {
  const apart = await sql<{ n: number }>`
    select d.n, set_apart(d.batch_id, d.target_id, d.wanted) from (
      select n, batch_id, target_id, ${wantedOf(asked)} as wanted from delivery_batches
      where ${gotSince(asked)} and n > ${after} and n <= ${end} and bit_count(${wantedOf(asked)}) > 0 order by n limit ${max}) d
    order by d.batch_id, d.target_id`
  return apart.length < max ? end : Math.max(...apart.map(({ n }) => n))
}

/** How many deliveries a webhook got since some time, of those in these batches. Most batches are alike, so what is withheld is looked up for few. */
export const countSince = (asked: Since, batches: Part): Part => part`
  (select coalesce(sum(alike * bit_count(${wantedOf(asked)})), 0)::bigint from (
    select kinds, delivered, count(*) as alike from ${batches} b where ${gotSince(asked)} group by kinds, delivered) b)`

/** Condition on batches. */
const gotSince = ({ team_id, subscription_id, since }: Since): Part => part`
  target_id = ${subscription_id} and team_id = ${team_id} and bit_count(delivered) > 0 and created_at >= ${since}::timestamptz`

/** Gives a bit for each event of a batch that was delivered and is not withheld. */
const wantedOf = ({ withheld = [] }: Since): Part =>
  withheld.length === 0 ? part`delivered` : part`(delivered & wanted_events(kinds, '{*}', ${withheld}::text[]))`
