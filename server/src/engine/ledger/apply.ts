// Writes changes of held runs, many in one statement: the guarded update of each run first, every other row only where that came back.
import { part, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { storableJson } from '../../base/storable.ts'
import { insertRunEvents, raisedEventXid } from '../../kit/event.ts'
import type { Change } from './change.ts'
import { blobOrder } from './largeTexts.ts'
import { eventOf, toReleased } from './lifecycle.ts'

export interface Applied {
  /** `fenced`: another epoch, nothing was written and nothing may be. `woken`: something came, so the run was not released and nothing was written. */
  outcome: 'written' | 'fenced' | 'woken'
  /** The run's current wake_seq. */
  wakeSeq: number
  /** The seq of the last message before the change's own. */
  messageBase: number
}

interface WrittenRow {
  id: string
  wake_seq: number
  message_base: number
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
const updatedRuns = (changes: Change[]): Part => part`update runs r set
        last_change = c.id,
        message_seq = r.message_seq + c.messages,
        event_seq = r.event_seq + c.events,
        event_xid = ${raisedEventXid},
        steps = r.steps + c.steps,
        input_tokens = r.input_tokens + c.input_tokens,
        output_tokens = r.output_tokens + c.output_tokens,
        cost_usd = r.cost_usd + c.cost_usd,
        ${toReleased.set},
        updated_at = now()
      from change c
      -- by the ids as well: joined with the change alone, a table of some ten thousand runs is read whole
      where r.id = any(${changes.map(({ runId }) => runId)}::uuid[])
        and r.id = c.run_id and ${toReleased.where}
      returning r.id, r.team_id, r.agent_id, r.case_id, r.wake_seq, c.status as moved, r.started_at, r.completed_at,
        r.message_seq - c.messages as message_base, r.event_seq - c.events as event_base, r.event_xid as xid,
        jsonb_build_object('steps', r.steps, 'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens,
          'cost_usd', trim_scale(r.cost_usd)) as usage`

const insertedMessages = (
  changes: Change[],
): Part => part`insert into run_messages (run_id, seq, id, turn, type, role, text_content, tool_call, tool_result, opaque, restarts, "timestamp")
      select r.id, r.message_base + m.place, m.id, m.turn, m.type, m.role, m.text_content, m.tool_call, m.tool_result, m.opaque,
        m.restarts, m."timestamp"
      from json_to_recordset(${storableJson(changes.flatMap(messageRows))}::json) as m (
        run_id uuid, place int, id uuid, turn int, type text, role text, text_content text, tool_call jsonb, tool_result jsonb,
        opaque jsonb, restarts boolean, "timestamp" timestamptz)
      join run r on r.id = m.run_id order by ${blobOrder(part`m.text_content`)}`

const writtenSteps = (
  changes: Change[],
): Part => part`insert into run_steps as was (run_id, seq, turn, kind, tool, arguments, state, attempt, result, error, input_tokens, output_tokens,
        cost_usd, reserved_usd, unsettled, started_at, completed_at, said, moments)
      select r.id, s.seq, s.turn, s.kind, s.tool, s.arguments, s.state, s.attempt, s.result, s.error, s.input_tokens, s.output_tokens,
        s.cost_usd, s.reserved_usd, s.unsettled, s.started_at, s.completed_at, s.said, s.moments
      from json_to_recordset(${storableJson(changes.flatMap(stepRows))}::json) as s (
        run_id uuid, seq int, turn int, kind text, tool text, arguments jsonb, state text, attempt int, result jsonb, error text,
        input_tokens bigint, output_tokens bigint, cost_usd numeric, reserved_usd numeric, unsettled int, started_at timestamptz,
        completed_at timestamptz, said text, moments jsonb)
      join run r on r.id = s.run_id
      on conflict (run_id, seq) do update set state = excluded.state, attempt = excluded.attempt, result = excluded.result,
        error = excluded.error, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
        cost_usd = excluded.cost_usd, reserved_usd = excluded.reserved_usd, unsettled = excluded.unsettled,
        completed_at = excluded.completed_at, said = excluded.said, moments = excluded.moments`

/** An event about a message gets that message's number. An event that ends the run gets what the run used and how long it took. */
const insertedEvents = (changes: Change[]): Part =>
  insertRunEvents(part`
      select n.id, r.team_id, r.id as run_id, r.agent_id, r.case_id, r.event_base + n.place as sequence, r.xid, n.event,
        case when n.message is not null then concat('{"message":{"seq":', r.message_base + n.message, ',', substr(n.data::text, 2), '}')
          when n.ends then concat(left(n.data::text, -1), ',', substr(jsonb_build_object('usage', r.usage,
            'duration_ms', (extract(epoch from r.completed_at - r.started_at) * 1000)::bigint)::text, 2))
          else n.data::text end as data
      from json_to_recordset(${storableJson(changes.flatMap(eventRows))}::json) as n (
        run_id uuid, place int, id uuid, event text, data json, message int, ends boolean)
      join run r on r.id = n.run_id`)

/** One statement, one commit. `freed`: the slots that these runs held and hold no more. */
export async function applyChanges(sql: Sql, changes: Change[]): Promise<{ applied: Applied[]; freed: FreedSlots[] }> {
  const written = await sql<WrittenRow & { left: FreedSlots[] | null }>`
    with change as materialized (
      ${changeRows(changes)}
    ),
    run as (
      ${updatedRuns(changes)}
    ),
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
    select run.id, run.wake_seq, run.message_base,
      (select json_agg(places_left_) from places_left_) as left
    from run`
  const found = new Map(written.map((row) => [row.id, row]))
  const missing = changes.filter(({ runId }) => !found.has(runId)).map(({ runId }) => runId)
  const others = missing.length === 0 ? [] : await readEpochs(sql, missing)
  return {
    applied: changes.map((change) => {
      const row = found.get(change.runId)
      if (row) return { outcome: 'written', wakeSeq: row.wake_seq, messageBase: row.message_base }
      const now = others.find(({ id }) => id === change.runId)
      const isOurs = now?.epoch === change.epoch
      return { outcome: isOurs ? 'woken' : 'fenced', wakeSeq: now?.wake_seq ?? 0, messageBase: 0 }
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

const messageRows = ({ runId, messages }: Change) =>
  messages.map((message, index) => ({ run_id: runId, place: index + 1, ...message }))

const stepRows = ({ runId, steps }: Change) => steps.map((step) => ({ run_id: runId, ...step }))

function eventRows({ runId, events, move }: Change) {
  const rows = events.map((event, index) => ({ run_id: runId, place: index + 1, ends: false, ...event }))
  return move ? [...rows, moveEvent(runId, events.length + 1, move)] : rows
}

function moveEvent(runId: string, place: number, move: NonNullable<Change['move']>) {
  const { wakeSeen: _wakeSeen, ...told } = move
  const data =
    told.status === 'waiting'
      ? { status: told.status, waiting_on: told.waiting_on }
      : told.status === 'completed'
        ? { status: told.status, output: told.output ?? null }
        : { status: told.status, error: told.error }
  const ends = told.status !== 'waiting'
  return { run_id: runId, place, id: newId(), event: eventOf[told.status], data, message: null, ends }
}
