// What must be true of every run in the database when all is over, whatever happened on the way, asked in SQL over all of them.
import type { Sql } from '../../src/base/db.ts'
import type { Arrival } from './callCounter.ts'

export interface Ledger {
  /** Runs that have not exactly one terminal event for each of their endings: a message to an ended run starts it again. */
  notOneEnd: number
  /** Runs whose events, messages or steps have a gap in their numbers, or are not as many as the run says. */
  gaps: number
  /** Calls that have more than one result. */
  secondResults: number
  /** Steps of ended runs without an outcome, and their open requests. */
  leftOpen: number
}

export async function readLedger(sql: Sql): Promise<Ledger> {
  const [row] = await sql<Record<keyof Ledger, string>>`
    with ends as (
      select (select count(*) from events e where e.run_id = r.id and e.event in ('run.completed', 'run.failed')) as told,
        (r.status in ('completed', 'failed', 'stopped'))::int
        + (select count(*) from run_messages m where m.run_id = r.id and m.restarts) as true_count
      from runs r
    ),
    numbered as (
      select r.id,
        (select coalesce(max(sequence), 0) = r.event_seq and count(*) = r.event_seq from events e where e.run_id = r.id)
        and (select coalesce(max(seq), 0) = r.message_seq and count(*) = r.message_seq from run_messages m where m.run_id = r.id)
        and (select coalesce(max(seq), 0) = count(*) from run_steps s where s.run_id = r.id) as is_whole
      from runs r
    )
    select
      (select count(*) from ends where told <> true_count) as "notOneEnd",
      (select count(*) from numbered where not is_whole) as gaps,
      (select count(*) from (
        select 1 from events where event = 'run.tool_call.completed' group by data ->> 'tool_call_id' having count(*) > 1
        union all
        select 1 from run_messages where tool_result is not null group by tool_result ->> 'tool_call_id' having count(*) > 1
      ) twice) as "secondResults",
      (select count(*) from runs r join run_steps s on s.run_id = r.id
        where r.status in ('completed', 'failed', 'stopped') and s.state in ('intent', 'waiting', 'approval', 'in_doubt'))
      + (select count(*) from runs r join human_requests h on h.run_id = r.id
        where r.status in ('completed', 'failed', 'stopped') and h.status = 'pending') as "leftOpen"`
  return mapped(row!)
}

const mapped = (row: Record<keyof Ledger, string>): Ledger => ({
  notOneEnd: Number(row.notOneEnd),
  gaps: Number(row.gaps),
  secondResults: Number(row.secondResults),
  leftOpen: Number(row.leftOpen),
})

export const isWhole = ({ notOneEnd, gaps, secondResults, leftOpen }: Ledger): boolean =>
  notOneEnd + gaps + secondResults + leftOpen === 0

export interface Calls {
  calls: number
  /** Calls that a worker's death made come twice, as their rule allows: GETs. */
  retried: number
  /** Must be 0: came again after its result was committed. */
  finishedRepeated: number
  /** Must be 0: a POST that came twice although a person was asked, who knows whether it came. */
  askRepeated: number
  /** Must be 0: has a result and never came. */
  neverMade: number
  /** Must be 0: came more often than the ledger says that it was begun. */
  beyondAttempts: number
}

interface CallRow {
  id: string
  method: string
  attempt: number
  state: string
  completed_at: Date | null
}

/** What the outside saw, held against the ledger: of HTTP calls only, those whose id it knows. */
export async function compareCalls(sql: Sql, arrivals: Arrival[]): Promise<Calls> {
  const rows = await sql<CallRow>`
    select s.run_id || ':' || s.seq as id, s.arguments ->> 'method' as method, s.attempt, s.state, e.created_at as completed_at
    from run_steps s left join events e
      on e.run_id = s.run_id and e.event = 'run.tool_call.completed' and e.data ->> 'tool_call_id' = s.run_id || ':' || s.seq
    where s.tool = 'http_request'`
  const came = Map.groupBy(arrivals, ({ id }) => id)
  const seen: Calls = {
    calls: rows.length,
    retried: 0,
    finishedRepeated: 0,
    askRepeated: 0,
    neverMade: 0,
    beyondAttempts: 0,
  }
  for (const { id, method, attempt, state, completed_at } of rows) {
    const times = came.get(id) ?? []
    // an event's time is the beginning of its transaction, and the call was over before that began
    if (completed_at && times.some(({ at }) => at > completed_at.getTime())) seen.finishedRepeated += 1
    if (method === 'POST' && times.length > 1) seen.askRepeated += 1
    if (method === 'GET' && times.length > 1) seen.retried += 1
    if (state === 'done' && times.length === 0) seen.neverMade += 1
    if (times.length > attempt) seen.beyondAttempts += 1
  }
  return seen
}

export const areTrue = ({ finishedRepeated, askRepeated, neverMade, beyondAttempts }: Calls): boolean =>
  finishedRepeated + askRepeated + neverMade + beyondAttempts === 0
