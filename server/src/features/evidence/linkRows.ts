// Links the rows of ended runs behind the seals that they have: those of many runs in one statement, those of a long run in parts. Nothing is
// written here: the transaction has no number yet, so it holds back nobody's events, however long this takes.
import { plainColumn } from '../../base/columns.ts'
import { one, part, word, type Part, type Sql } from '../../base/db.ts'
import { cutMessages, digestOf, eventLine, mayBeCut, messageLine, stepLine } from './rows.ts'

/** A run whose rows are linked, up to this event, and what its seal says besides. */
interface ToLink {
  id: string
  event_seq: number
  /** The SHA-256 of its config, in hex. */
  config: string
  signature_id: string
}

/** How large rows are as they are stored, for which no large value is read. */
const rowBytes = 1024
const eventBytes = part`(${rowBytes}::int + pg_column_size(b.entries))`
const stepBytes = part`(${rowBytes}::int + coalesce(pg_column_size(s.arguments), 0) + coalesce(pg_column_size(s.result), 0))`
const messageBytes = part`(${rowBytes}::int + coalesce(octet_length(m.text_content), 0) + coalesce(pg_column_size(m.tool_call), 0)
  + coalesce(pg_column_size(m.tool_result), 0) + coalesce((select size_bytes from blobs where sha256 = m.text_blob), 0))`

/** The number of empty rows that take this many bytes. */
export const rowsIn = (bytes: number): number => Math.ceil(bytes / rowBytes)

/** SQL for about how many bytes the log of `runs r` has: of a message an event has 16 KiB, and what else is large in one is in its step too. */
export const bytesOfLog = part`(r.event_seq * ${rowBytes}::int + (
  select coalesce(sum(${stepBytes}), 0) from run_steps s where s.run_id = r.id))`

const lastSeal = (runId: Part): Part =>
  part`(select * from run_seals where run_id = ${runId} order by number desc limit 1)`

/** The link before the first row. */
const zero = part`'\\x0000000000000000000000000000000000000000000000000000000000000000'::bytea`

const hex = (digest: Part): Part => part`encode(${digest}, 'hex')`

/** How many rows there are, and the link after the last of them, behind the link `before` where a run has been sealed before. */
const linked = (before: Part, line: Part, place: Part): Part => part`
  count(*)::int as rows, link_over(coalesce(${before}, ${zero}), ${digestOf(line)} order by ${place}) as link`

/** The events of the run `d` behind its last seal `l`, each with its line, which is made once. */
const newEvents = part`(
  select b.last, b.entries, ${eventLine} as line from event_batches b
  where b.run_id = d.run_id and b.last > coalesce(l.events_last, 0) and b.last <= d.events_last order by b.last offset 0
) b`

/** SQL for what the seal of each of these runs says of its rows, if there are new events: one that came to an ended run is its own reason for a seal. */
export const linksOf = (runs: ToLink[]): Part => part`
  select d.run_id, decode(d.config, 'hex') as config_hash, d.signature_id, coalesce(l.number, 0) + 1 as number, l.head as before, d.events_last,
    coalesce(l.events_rows, 0) + e.rows as events_rows, e.link as events_link,
    coalesce(s.last, l.steps_last, 0) as steps_last, coalesce(l.steps_rows, 0) + s.rows as steps_rows,
    coalesce(s.link, l.steps_link, ${zero}) as steps_link,
    coalesce(l.messages_rows, 0) + m.rows as messages_rows, coalesce(m.link, l.messages_link, ${zero}) as messages_link
  from unnest(${plainColumn(runs.map(({ id }) => id))}::uuid[], ${plainColumn(runs.map(({ event_seq }) => event_seq))}::int[],
    ${plainColumn(runs.map(({ config }) => config))}::text[], ${plainColumn(runs.map(({ signature_id }) => signature_id))}::uuid[])
    as d (run_id, events_last, config, signature_id)
  left join lateral ${lastSeal(part`d.run_id`)} l on true
  cross join lateral (
    select ${linked(part`l.events_link`, part`b.line`, part`b.last`)}, bool_or(${mayBeCut(part`b.line`)}) as may_be_cut from ${newEvents}
  ) e
  cross join lateral (
    select ${linked(part`l.steps_link`, stepLine, part`s.seq`)}, max(s.seq) as last
    from run_steps s where s.run_id = d.run_id and s.seq > coalesce(l.steps_last, 0)
  ) s
  -- the messages that the new events show only in part; there are few
  cross join lateral (
    select ${linked(part`l.messages_link`, messageLine, part`m.seq`)} from run_messages m
    where e.may_be_cut and m.run_id = d.run_id
      and m.seq = any(array(select cut.seq from ${newEvents} cross join lateral (${cutMessages}) cut where ${mayBeCut(part`b.line`)}))
  ) m
  where e.rows > 0`

/** Rows of one kind, in their order. */
interface Rows {
  /** What stands behind a `from`: the rows with this name. */
  from: Part
  name: 'b' | 's' | 'm'
  place: Part
  bytes: Part
  line: Part
  /** The numbers of the messages that are cut in such a row. */
  cut?: Part
}

/** How far the rows of one kind are linked. */
interface Chain {
  last: number
  rows: number
  /** In hex. */
  link: string
}

/** What the last seal of a run says; nothing yet if it has none. */
interface Sealed {
  number: number
  head: Buffer | null
  events: Chain
  steps: Chain
  messages: Chain
}

const chain = (last: Part, rows: Part, link: Part): Part =>
  part`json_build_object('last', coalesce(${last}, 0), 'rows', coalesce(${rows}, 0), 'link', ${hex(part`coalesce(${link}, ${zero})`)})`

/**
 * The same of one run whose rows are read before, about this many bytes in a statement. They are not seen as at one moment: whoever writes the
 * seal makes sure that the run is still what it was.
 */
export async function linksInParts(sql: Sql, run: ToLink, bytes: number, signal?: AbortSignal): Promise<Part> {
  const sealed = await one(sql<Sealed>`
    select coalesce(l.number, 0) as number, l.head,
      ${chain(part`l.events_last`, part`l.events_rows`, part`l.events_link`)} as events,
      ${chain(part`l.steps_last`, part`l.steps_rows`, part`l.steps_link`)} as steps,
      ${chain(part`null::int`, part`l.messages_rows`, part`l.messages_link`)} as messages
    from (select) here left join lateral ${lastSeal(part`${run.id}::uuid`)} l on true`)
  const cut: number[] = []
  async function link(after: Chain, rows: Rows): Promise<Chain> {
    for (let at = after; ;) {
      signal?.throwIfAborted()
      const next = await one(sql<Chain & { cut: string | null }>`${nextPart(at, rows, bytes)}`)
      if (next.rows === 0) return at
      if (next.cut !== null) cut.push(...next.cut.split(',').map(Number))
      at = { last: next.last, rows: at.rows + next.rows, link: next.link }
    }
  }
  const events = await link(sealed.events, eventRows(run))
  const steps = await link(sealed.steps, stepRows(run))
  const messages = await link(sealed.messages, messageRows(run, cut))
  return part`
    select ${run.id}::uuid as run_id, decode(${run.config}, 'hex') as config_hash, ${run.signature_id}::uuid as signature_id,
      ${sealed.number + 1}::int as number, ${sealed.head}::bytea as before, ${run.event_seq}::int as events_last,
      ${events.rows}::int as events_rows, decode(${events.link}, 'hex') as events_link,
      ${steps.last}::int as steps_last, ${steps.rows}::int as steps_rows, decode(${steps.link}, 'hex') as steps_link,
      ${messages.rows}::int as messages_rows, decode(${messages.link}, 'hex') as messages_link
    where ${events.rows > sealed.events.rows}::boolean`
}

const eventRows = ({ id, event_seq }: ToLink): Rows => ({
  from: part`event_batches b where b.run_id = ${id} and b.last <= ${event_seq}`,
  name: 'b',
  place: part`b.last`,
  bytes: eventBytes,
  line: eventLine,
  cut: part`(select string_agg(cut.seq::text, ',') from (${cutMessages}) cut where ${mayBeCut(part`made.line`)})`,
})

const stepRows = ({ id }: ToLink): Rows => ({
  from: part`run_steps s where s.run_id = ${id}`,
  name: 's',
  place: part`s.seq`,
  bytes: stepBytes,
  line: stepLine,
})

const messageRows = ({ id }: ToLink, seqs: number[]): Rows => ({
  from: part`run_messages m where m.run_id = ${id} and m.seq = any(${plainColumn(seqs)}::int[])`,
  name: 'm',
  place: part`m.seq`,
  bytes: messageBytes,
  line: messageLine,
})

/** The next rows behind a chain, at least one if there is any: their sizes are added up before the first of their values is read. */
const nextPart = (
  { last, link }: Chain,
  { from, name, place, bytes, line, cut = part`null` }: Rows,
  bytesMax: number,
): Part => part`
  select count(*)::int as rows, max(${place})::int as last, string_agg(${cut}, ',') as cut,
    ${hex(part`link_over(decode(${link}, 'hex'), ${digestOf(part`made.line`)} order by ${place})`)} as link
  from (
    select *, sum(bytes) over (order by ${place} rows unbounded preceding) - bytes as bytes_before
    from (
      select ${word(name)}.*, ${bytes} as bytes from ${from} and ${place} > ${last} order by ${place} limit ${rowsIn(bytesMax)}) ${word(name)}
  ) ${word(name)} cross join lateral (select ${line} as line offset 0) made
  where ${word(name)}.bytes_before < ${bytesMax}`
