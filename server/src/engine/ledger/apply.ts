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
  /** How many messages its log has, where the change was written and that is known. */
  messageSeq?: number
  /** The messages that were written, if the run goes on and that is known. */
  messages?: MessageRow[]
}

/** The ends among the changes that are written with what was found of their runs. */
type ChecksOfEnds = ReturnType<EndCheck['sql']>

interface WrittenRow {
  id: string
  wake_seq: number
  message_seq: number
}

/** Slots that runs of a team left with one commit. */
export interface FreedSlots {
  team_id: string
  places: number
}

function changeRows(changes: Change[]): Part {
  const moves = changes.map(({ move }) => move)
  const waits = moves.map((move) => (move?.status === 'waiting' ? move : undefined))
  return part`
      select c.id, c.run_id, c.epoch, c.messages, c.events, c.steps, c.input_tokens, c.output_tokens, c.cost_usd, c.reserved_usd, c.status,
        c.wake_seen, c.waiting_on::jsonb, c.due_at, c.output::jsonb, c.error::jsonb
      from unnest(${plainColumn(changes.map(({ id }) => id))}::uuid[], ${plainColumn(changes.map(({ runId }) => runId))}::uuid[],
        ${plainColumn(changes.map(({ epoch }) => epoch))}::int[], ${plainColumn(changes.map(({ messages }) => messages.length))}::int[],
        ${plainColumn(changes.map(({ events, move }) => events.length + (move ? 1 : 0)))}::int[],
        ${plainColumn(changes.map(({ usage }) => usage.steps))}::int[], ${plainColumn(changes.map(({ usage }) => usage.input_tokens))}::bigint[],
        ${plainColumn(changes.map(({ usage }) => usage.output_tokens))}::bigint[],
        ${plainColumn(changes.map(({ usage }) => usage.cost_usd))}::numeric[], ${plainColumn(changes.map(({ reserved_usd }) => reserved_usd))}::numeric[],
        ${plainColumn(moves.map((move) => move?.status))}::text[], ${plainColumn(moves.map((move) => move?.wakeSeen ?? 0))}::int[],
        ${jsonColumn(waits.map((move) => move?.waiting_on))}, ${plainColumn(waits.map((move) => move?.due_at?.toISOString()))}::timestamptz[],
        ${jsonColumn(moves.map((move) => (move?.status === 'completed' ? move.output : undefined)))},
        ${jsonColumn(moves.map((move) => (move?.status === 'failed' ? move.error : undefined)))})
        as c (id, run_id, epoch, messages, events, steps, input_tokens, output_tokens, cost_usd, reserved_usd, status, wake_seen, waiting_on,
          due_at, output, error)`
}

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
      returning r.id, r.team_id, r.agent_id, r.case_id, r.wake_seq, r.message_seq, c.status as moved, r.started_at, r.completed_at,
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
        ${textColumn(rows.map(({ text_content }) => text_content))}::text[], ${jsonTextColumn(rows.map(({ json }) => json.tool_call))},
        ${jsonTextColumn(rows.map(({ json }) => json.tool_result))}, ${jsonColumn(rows.map(({ opaque }) => opaque))},
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

/** How the data of an event about a message begins, before the number of the message. */
const messageBeginning = '{"message":{"seq":'

/**
 * Events about messages have the numbers that their holder expects. If somebody else has written a message since then, `renumbered` puts the
 * right ones in their place. An event that ends the run gets what the run used and how long it took.
 */
function insertedEvents(changes: Change[]): Part {
  const batches = changes.map(batchOf).filter(({ kinds }) => kinds !== '')
  return insertBatches(part`
      select e.id, r.team_id, r.id as run_id, r.agent_id, r.case_id, r.event_seq as last, r.xid, e.kinds,
        case when r.message_base = e.message_base then t.entries else ${renumbered} end as entries
      from unnest(${plainColumn(batches.map(({ runId }) => runId))}::uuid[], ${plainColumn(batches.map(({ id }) => id))}::uuid[],
        ${plainColumn(batches.map(({ kinds }) => kinds))}::text[], ${plainColumn(batches.map(({ ends }) => ends))}::boolean[],
        ${plainColumn(batches.map(({ messageBase }) => messageBase))}::int[], ${jsonTextColumn(batches.map(({ entries }) => entries))})
        as e (run_id, id, kinds, ends, message_base, entries)
      join run r on r.id = e.run_id
      cross join lateral (
        select concat('[', e.entries, case when e.ends then concat(',', substr(jsonb_build_object('usage', r.usage,
          'duration_ms', (extract(epoch from r.completed_at - r.started_at) * 1000)::bigint)::text, 2)) end, ']') as entries
      ) t`)
}

const renumbered = part`(
        select concat('[', string_agg(case when starts_with(p.text, ${messageBeginning}) then concat(${messageBeginning}::text,
          r.message_base + p.messages, substr(p.text, strpos(p.text, ','))) else p.text end, ',' order by p.n), ']')
        from (
          select x.text, x.n, count(*) filter (where starts_with(x.text, ${messageBeginning})) over (order by x.n) as messages
          from json_array_elements_text(t.entries::json) with ordinality as x (text, n)
        ) p)`

/**
 * One statement, one commit. `freed`: the slots that these runs held and hold no more. `epochsOf` reads the runs that did not come back. Where
 * the statement is its own commit, an error of that reading must not look like an error of the statement, which is committed by then.
 */
export async function applyChanges(
  sql: Sql,
  changes: Change[],
  checks?: ChecksOfEnds,
  epochsOf = (ids: string[]) => readEpochs(sql, ids),
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
    select run.id, run.wake_seq, run.message_seq,
      (select json_agg(places_left_) from places_left_) as left
    from run`
  const found = new Map(written.map((row) => [row.id, row]))
  const missing = changes.filter(({ runId }) => !found.has(runId)).map(({ runId }) => runId)
  const others = missing.length === 0 ? [] : await epochsOf(missing)
  return {
    applied: changes.map((change) => {
      const row = found.get(change.runId)
      if (row) {
        const { wake_seq: wakeSeq, message_seq: messageSeq } = row
        return { outcome: 'written', wakeSeq, messageSeq, ...(!change.move && { messages: change.messages }) }
      }
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

/** The events of a change as one row: the letters of their kinds, and their data. */
function batchOf({ runId, messagesBefore, events, move }: Change) {
  const told = move ? [...events, moveEvent(move)] : events
  const ends = move !== null && move.status !== 'waiting'
  let seq = messagesBefore
  const entries = told.map(({ isMessage, text }) => (isMessage ? messageEntry(text, ++seq) : text)).join(',')
  return {
    id: batchId(),
    runId,
    messageBase: messagesBefore,
    kinds: told.map(({ event }) => letterOf[event]).join(''),
    // the database adds fields to the event that ends a run: left open here, since to cut a long text there is slow
    entries: ends ? entries.slice(0, -1) : entries,
    ends,
  }
}

/** The data of an event about a message, as text. Every message of a change has one event, in the same order. */
const messageEntry = (text: string, seq: number): string => `${messageBeginning}${seq},${text.slice(1)}}`

function moveEvent({ wakeSeen: _wakeSeen, ...told }: NonNullable<Change['move']>): EventRow {
  const data =
    told.status === 'waiting'
      ? { status: told.status, waiting_on: told.waiting_on }
      : told.status === 'completed'
        ? { status: told.status, output: told.output ?? null }
        : { status: told.status, error: told.error }
  return { event: eventOf[told.status], text: storableJson(data), isMessage: false }
}
