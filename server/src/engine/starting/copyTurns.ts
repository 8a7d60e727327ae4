// A run that continues from a step of an older run: it gets a copy of the beginning of that log, with ids of its own for the calls.
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'

interface Copy {
  from: string
  to: string
  /** The first turn that the new run takes itself. */
  turn: number
}

/** The turn of a call in the ledger; undefined: the run made no such call. A run cannot continue from a turn of the model. */
export async function turnOfCall(sql: Sql, runId: string, step: number): Promise<number | undefined> {
  const [found] = await sql<{ turn: number }>`
    select turn from run_steps where run_id = ${runId} and seq = ${step} and kind <> 'model'`
  return found?.turn
}

/** The number of the first step of a turn that made calls. */
export async function firstStepOf(sql: Sql, runId: string, turn: number): Promise<number> {
  const first = await one(sql<{ seq: number }>`
    select min(seq) as seq from run_steps where run_id = ${runId} and turn = ${turn}`)
  return first.seq
}

/**
 * Copies whole turns with their messages and steps, in the transaction that creates the new run. The old run is locked, so that its log
 * does not change. The new run already has its first message and its event. The copies have no events, because nothing happened again.
 * Numbers stay as they are. What the steps used was paid by the old run.
 */
export async function copyTurnsBefore(sql: Sql, { from, to, turn }: Copy): Promise<void> {
  const written = await one(sql<{ message_seq: number }>`select message_seq from runs where id = ${to}`)
  const messages = await sql<{ seq: number }>`
    select seq from run_messages
    where run_id = ${from} and seq > ${written.message_seq} and turn < ${turn} order by seq`
  const seqs = messages.map(({ seq }) => seq)
  await sql`
    insert into run_messages (run_id, seq, id, turn, type, role, text_content, text_blob, tool_call, tool_result, opaque, restarts, "timestamp")
    select ${to}::uuid, m.seq, n.id, m.turn, m.type, m.role, m.text_content, m.text_blob,
      case when m.tool_call is not null then m.tool_call || jsonb_build_object('id', ${to} || substr(m.tool_call ->> 'id', 37)) end,
      case when m.tool_result is not null
        then m.tool_result || jsonb_build_object('tool_call_id', ${to} || substr(m.tool_result ->> 'tool_call_id', 37)) end,
      m.opaque, m.restarts, m."timestamp"
    from unnest(${seqs}::int[], ${seqs.map(() => newId())}::uuid[]) as n (seq, id)
    join run_messages m on m.run_id = ${from} and m.seq = n.seq`
  const steps = await sql`
    insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, attempt, result, error, started_at, completed_at, said)
    select ${to}::uuid, seq, turn, kind, tool, arguments, state, attempt, result, error, started_at, completed_at, said
    from run_steps where run_id = ${from} and turn < ${turn}
    returning 1`
  await sql`
    update runs set message_seq = message_seq + ${seqs.length}, steps = ${steps.length}, copied_steps = ${steps.length} where id = ${to}`
}
