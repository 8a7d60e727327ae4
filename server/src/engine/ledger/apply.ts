// Writes changes of held runs, many in one statement: the guarded update of each run first, every other row only where that came back.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { jsonColumn, jsonTextColumn, plainColumn, textColumn } from '../../base/columns.ts'
import { storableJson } from '../../base/storable.ts'
import type { EndCheck } from '../../kit/endCheck.ts'
import { batchId, insertBatches, letterOf, raisedEventXid } from '../../kit/event.ts'
import type { Change, EventRow, MessageRow } from './change.ts'
import { blobOrder } from './largeTexts.ts'
import { eventOf, toChecked, toReleased } from './lifecycle.ts'

export interface Applied {
  /** `fenced`: another epoch, nothing was written and nothing may be. `woken`: something came, so the run was not released and nothing was written. */
  outcome: 'written' | 'fenced' | 'woken'
  /** The run's current wake_seq. */
  wakeSeq: number
  /** The messages that were written, if the run goes on and that is known. */
  messages?: MessageRow[]
}

/** The ends among the changes that are written with what was found of their runs. */
type ChecksOfEnds = ReturnType<EndCheck['sql']>

interface WrittenRow {
  id: string
  wake_seq: number
}

/** Slots that runs of a team left with one commit. */
export interface FreedSlots {
  team_id: string
  places: number
}

const changeRows = (
  changes: Change[],
): Part => part`select * from json_to_recordset(${storableJson(changes.map(changeRow))}::json) as t (
        id uuid, run_id uuid, epoch int, messages int, events int, steps int, input_tokens bigint, output_tokens bigint, cost_usd numeric,
        reserved_usd numeric, status text, wake_seen int, waiting_on jsonb, due_at timestamptz, output jsonb, error jsonb)`

/** The guarded update: a run with another epoch, or one that was woken when it was to be released, does not come back. */
const updatedRuns = (changes: Change[], isWithChecks: boolean): Part => part`update runs r set
        last_change = c.id,
        message_seq = r.message_seq + c.messages,
        event_seq = r.event_seq + c.events,
        event_xid = ${raisedEventXid},
        steps = r.steps + c.steps,
        input_tokens = r.input_tokens + c.input_tokens,
        output_tokens = r.output_tokens + c.output_tokens,
        cost_usd = r.cost_usd + c.cost_usd,
        ${toReleased.set},
        ${isWithChecks ? toChecked.set : empty}
        updated_at = now()
      from change c ${isWithChecks ? toChecked.join : empty}
      -- by the ids as well: joined with the change alone, a table of some ten thousand runs is read whole
      where r.id = any(${changes.map(({ runId }) => runId)}::uuid[])
        and r.id = c.run_id and ${toReleased.where}
      returning r.id, r.team_id, r.agent_id, r.case_id, r.wake_seq, c.status as moved, r.started_at, r.completed_at,
        r.message_seq - c.messages as message_base, r.event_seq, r.event_xid as xid,
        jsonb_build_object('steps', r.steps, 'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens,
          'cost_usd', trim_scale(r.cost_usd)) as usage
        ${isWithChecks ? part`, r.build_id, ${toChecked.isChecked} as is_checked` : empty}`

function insertedMessages(changes: Change[]): Part {
  const rows = changes.flatMap(({ runId, messages }) =>
    messages.map((message, index) => ({ ...message, runId, place: index + 1 })),
  )
  return part`insert into run_messages (run_id, seq, id, turn, type, role, text_content, tool_call, tool_result, opaque, restarts, "timestamp")
      select r.id, r.message_base + m.place, m.id, m.turn, m.type, m.role, m.text_content, m.tool_call::jsonb, m.tool_result::jsonb,
        m.opaque::jsonb, m.restarts, m."timestamp"
      from unnest(${plainColumn(rows.map(({ runId }) => runId))}::uuid[], ${plainColumn(rows.map(({ place }) => place))}::int[],
        ${plainColumn(rows.map(({ id }) => id))}::uuid[], ${plainColumn(rows.map(({ turn }) => turn))}::int[],
        ${plainColumn(rows.map(({ type }) => type))}::text[], ${plainColumn(rows.map(({ role }) => role))}::text[],
        ${textColumn(rows.map(({ text_content }) => text_content))}::text[], ${jsonColumn(rows.map(({ tool_call }) => tool_call))},
        ${jsonColumn(rows.map(({ tool_result }) => tool_result))}, ${jsonColumn(rows.map(({ opaque }) => opaque))},
        ${plainColumn(rows.map(({ restarts }) => restarts))}::boolean[], ${plainColumn(rows.map(({ timestamp }) => timestamp))}::timestamptz[])
        as m (run_id, place, id, turn, type, role, text_content, tool_call, tool_result, opaque, restarts, "timestamp")
      join run r on r.id = m.run_id order by ${blobOrder(part`m.text_content`)}`
}

function writtenSteps(changes: Change[]): Part {
  const rows = changes.flatMap(({ runId, steps }) => steps.map((step) => ({ ...step, runId })))
  return part`insert into run_steps as was (run_id, seq, turn, kind, tool, arguments, state, attempt, result, error, input_tokens, output_tokens,
        cost_usd, reserved_usd, unsettled, started_at, completed_at, said, moments)
      select r.id, s.seq, s.turn, s.kind, s.tool, s.arguments::jsonb, s.state, s.attempt, s.result::jsonb, s.error, s.input_tokens, s.output_tokens,
        s.cost_usd, s.reserved_usd, s.unsettled, s.started_at, s.completed_at, s.said, s.moments::jsonb
      from unnest(${plainColumn(rows.map(({ runId }) => runId))}::uuid[], ${plainColumn(rows.map(({ seq }) => seq))}::int[],
        ${plainColumn(rows.map(({ turn }) => turn))}::int[], ${plainColumn(rows.map(({ kind }) => kind))}::text[],
        ${textColumn(rows.map(({ tool }) => tool))}::text[], ${jsonColumn(rows.map((step) => step.arguments))},
        ${plainColumn(rows.map(({ state }) => state))}::text[], ${plainColumn(rows.map(({ attempt }) => attempt))}::int[],
        ${jsonColumn(rows.map(({ result }) => result))}, ${textColumn(rows.map(({ error }) => error))}::text[],
        ${plainColumn(rows.map(({ input_tokens }) => input_tokens))}::bigint[], ${plainColumn(rows.map(({ output_tokens }) => output_tokens))}::bigint[],
        ${plainColumn(rows.map(({ cost_usd }) => cost_usd))}::numeric[], ${plainColumn(rows.map(({ reserved_usd }) => reserved_usd))}::numeric[],
        ${plainColumn(rows.map(({ unsettled }) => unsettled))}::int[], ${plainColumn(rows.map(({ started_at }) => started_at))}::timestamptz[],
        ${plainColumn(rows.map(({ completed_at }) => completed_at))}::timestamptz[],
        ${textColumn(rows.map((step) => ('said' in step ? step.said : null)))}::text[], ${jsonColumn(rows.map(({ moments }) => moments))})
        as s (run_id, seq, turn, kind, tool, arguments, state, attempt, result, error, input_tokens, output_tokens, cost_usd, reserved_usd,
          unsettled, started_at, completed_at, said, moments)
      join run r on r.id = s.run_id
      on conflict (run_id, seq) do update set state = excluded.state, attempt = excluded.attempt, result = excluded.result,
        error = excluded.error, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
        cost_usd = excluded.cost_usd, reserved_usd = excluded.reserved_usd, unsettled = excluded.unsettled,
        completed_at = excluded.completed_at, said = excluded.said, moments = excluded.moments`
}

/** Stands where the number of a message comes, which only the database knows. JSON has no such character. */
const seqMark = '\u001e'

/** An event about a message gets that message's number. An event that ends the run gets what the run used and how long it took. */
function insertedEvents(changes: Change[]): Part {
  const batches = changes.map(batchOf).filter(({ kinds }) => kinds !== '')
  return insertBatches(part`
      select e.id, r.team_id, r.id as run_id, r.agent_id, r.case_id, r.event_seq as last, r.xid, e.kinds,
        concat('[', t.entries, case when e.ends then concat(',', substr(jsonb_build_object('usage', r.usage,
            'duration_ms', (extract(epoch from r.completed_at - r.started_at) * 1000)::bigint)::text, 2)) end, ']') as entries
      from unnest(${plainColumn(batches.map(({ runId }) => runId))}::uuid[], ${plainColumn(batches.map(({ id }) => id))}::uuid[],
        ${plainColumn(batches.map(({ kinds }) => kinds))}::text[], ${plainColumn(batches.map(({ ends }) => ends))}::boolean[],
        ${jsonTextColumn(batches.map(({ entries }) => entries))}) as e (run_id, id, kinds, ends, entries)
      join run r on r.id = e.run_id
      cross join lateral (
        select string_agg(concat(case when p.n > 1 then r.message_base + p.n - 1 end, p.text), '' order by p.n) as entries
        from unnest(string_to_array(e.entries, e'\\x1e')) with ordinality as p (text, n)
      ) t`)
}

/** One statement, one commit. `freed`: the slots that these runs held and hold no more. */
export async function applyChanges(
  sql: Sql,
  changes: Change[],
  checks?: ChecksOfEnds,
): Promise<{ applied: Applied[]; freed: FreedSlots[] }> {
  const written = await sql<WrittenRow & { left: FreedSlots[] | null }>`
    with change as materialized (
      ${changeRows(changes)}
    ),
    ${checks ? part`${checks.checked},` : empty}
    run as (
      ${updatedRuns(changes, checks !== undefined)}
    ),
    ${checks ? part`${checks.written},` : empty}
    message as (
      ${insertedMessages(changes)}
    ),
    step as (
      ${writtenSteps(changes)}
    ),
    event as (${insertedEvents(changes)}
    ),
    places_left_ as (
      insert into places_left (team_id, places)
      select team_id, count(*)::int from run where moved is not null group by team_id returning team_id, places
    )
    select run.id, run.wake_seq,
      (select json_agg(places_left_) from places_left_) as left
    from run`
  const found = new Map(written.map((row) => [row.id, row]))
  const missing = changes.filter(({ runId }) => !found.has(runId)).map(({ runId }) => runId)
  const others = missing.length === 0 ? [] : await readEpochs(sql, missing)
  return {
    applied: changes.map((change) => {
      const row = found.get(change.runId)
      if (row) return { outcome: 'written', wakeSeq: row.wake_seq, ...(!change.move && { messages: change.messages }) }
      const now = others.find(({ id }) => id === change.runId)
      const isOurs = now?.epoch === change.epoch
      return { outcome: isOurs ? 'woken' : 'fenced', wakeSeq: now?.wake_seq ?? 0 }
    }),
    freed: written[0]?.left ?? [],
  }
}

export const readEpochs = (sql: Sql, ids: string[]) =>
  sql<{
    id: string
    epoch: number
    wake_seq: number
    has_ended: boolean
  }>`select id, epoch, wake_seq, completed_at is not null as has_ended from runs where id = any(${ids}::uuid[])`

function changeRow({ id, runId, epoch, messages, events, usage, move, reserved_usd }: Change) {
  return {
    id,
    run_id: runId,
    epoch,
    messages: messages.length,
    events: events.length + (move ? 1 : 0),
    ...usage,
    reserved_usd,
    status: move?.status ?? null,
    wake_seen: move?.wakeSeen ?? 0,
    waiting_on: move?.status === 'waiting' ? move.waiting_on : null,
    due_at: move?.status === 'waiting' ? move.due_at : null,
    output: move?.status === 'completed' ? (move.output ?? null) : null,
    error: move?.status === 'failed' ? move.error : null,
  }
}

/** The events of a change as one row: the letters of their kinds, and their data. */
function batchOf({ runId, events, move }: Change) {
  const told = move ? [...events, moveEvent(move)] : events
  const ends = move !== null && move.status !== 'waiting'
  const entries = told.map(entryOf).join(',')
  return {
    id: batchId(),
    runId,
    kinds: told.map(({ event }) => letterOf[event]).join(''),
    // the database adds fields to the event that ends a run: left open here, since to cut a long text there is slow
    entries: ends ? entries.slice(0, -1) : entries,
    ends,
  }
}

/** The data of an event as text; every message of a change has one event, in the same order. */
function entryOf({ data, isMessage }: EventRow): string {
  const text = storableJson(data)
  return isMessage ? `{"message":{"seq":${seqMark},${text.slice(1)}}` : text
}

function moveEvent({ wakeSeen: _wakeSeen, ...told }: NonNullable<Change['move']>): EventRow {
  const data =
    told.status === 'waiting'
      ? { status: told.status, waiting_on: told.waiting_on }
      : told.status === 'completed'
        ? { status: told.status, output: told.output ?? null }
        : { status: told.status, error: told.error }
  return { event: eventOf[told.status], data, isMessage: false }
}
