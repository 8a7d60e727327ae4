// What must be true of every run when all is over, whatever happened on the way, asked in SQL over all of them.
import { part, type Part, type Sql } from '../base/db.ts'
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

/** The runs that are asked about: of one team, or all. */
const runsOf = (teamId: string | undefined): Part => (teamId === undefined ? part`true` : part`team_id = ${teamId}`)

export async function readLedger(sql: Sql, teamId?: string): Promise<Ledger> {
  const [row] = await sql<Record<keyof Ledger, string>>`
    with mine as materialized (select id, status, event_seq, message_seq from runs where ${runsOf(teamId)}),
    ends as (
      select (select count(*) from events e where e.run_id = r.id and e.event in ('run.completed', 'run.failed')) as told,
        (r.status in ('completed', 'failed', 'stopped'))::int
        + (select count(*) from run_messages m where m.run_id = r.id and m.restarts) as true_count
      from mine r
    ),
    numbered as (
      select r.id,
        (select coalesce(max(sequence), 0) = r.event_seq and count(*) = r.event_seq from events e where e.run_id = r.id)
        and (select coalesce(max(seq), 0) = r.message_seq and count(*) = r.message_seq from run_messages m where m.run_id = r.id)
        and (select coalesce(max(seq), 0) = count(*) from run_steps s where s.run_id = r.id) as is_whole
      from mine r
    )
    select
      (select count(*) from ends where told <> true_count) as "notOneEnd",
      (select count(*) from numbered where not is_whole) as gaps,
      (select count(*) from (
        select 1 from mine r cross join lateral (
          select data ->> 'tool_call_id' as id from events e where e.run_id = r.id and e.event = 'run.tool_call.completed') result
        group by result.id having count(*) > 1
        union all
        select 1 from mine r join run_messages m on m.run_id = r.id where m.tool_result is not null
        group by m.tool_result ->> 'tool_call_id' having count(*) > 1
      ) twice) as "secondResults",
      (select count(*) from mine r join run_steps s on s.run_id = r.id
        where r.status in ('completed', 'failed', 'stopped') and s.state in ('intent', 'waiting', 'approval', 'in_doubt'))
      + (select count(*) from mine r join human_requests h on h.run_id = r.id
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
  url: string
  attempt: number
  state: string
  completed_at: Date | null
}

type FaultKind = 'finishedRepeated' | 'askRepeated' | 'neverMade' | 'beyondAttempts'

/** A call that is not as it must be. */
export interface CallFault {
  kind: FaultKind
  id: string
  method: string
  url: string
  /** How often it came, and how often the ledger says that it was begun. */
  came: number
  attempts: number
}

interface Compared {
  calls: number
  retried: number
  faults: CallFault[]
}

interface Comparing {
  /** Undefined: of all teams. */
  teamId?: string
  /** How much later the clock of the database is than that of the counter, and how far that may be wrong, in ms. */
  clock?: { aheadMs: number; errorMs: number }
}

/** What the outside saw, held against the ledger: of HTTP calls only, those whose id it knows. */
export async function findCallFaults(
  sql: Sql,
  arrivals: Arrival[],
  { teamId, clock = { aheadMs: 0, errorMs: 0 } }: Comparing = {},
): Promise<Compared> {
  const rows = await sql<CallRow>`
    select s.run_id || ':' || s.seq as id, s.arguments ->> 'method' as method, s.arguments ->> 'url' as url, s.attempt, s.state,
      e.created_at as completed_at
    from (select id from runs where ${runsOf(teamId)}) r join run_steps s on s.run_id = r.id left join lateral (
      select e.created_at from events e
      where e.run_id = s.run_id and e.event = 'run.tool_call.completed' and e.data ->> 'tool_call_id' = s.run_id || ':' || s.seq
    ) e on true
    where s.tool = 'http_request'`
  const came = Map.groupBy(arrivals, ({ id }) => id)
  const seen: Compared = { calls: rows.length, retried: 0, faults: [] }
  for (const { id, method, url, attempt, state, completed_at } of rows) {
    const times = came.get(id) ?? []
    const fault = (kind: FaultKind) =>
      seen.faults.push({ kind, id, method, url, came: times.length, attempts: attempt })
    // an event's time is the beginning of its transaction, and the call was over before that began
    const overAt = completed_at ? completed_at.getTime() - clock.aheadMs + clock.errorMs : Infinity
    if (times.some(({ at }) => at > overAt)) fault('finishedRepeated')
    if (method === 'POST' && times.length > 1) fault('askRepeated')
    if (method === 'GET' && times.length > 1) seen.retried += 1
    if (state === 'done' && times.length === 0) fault('neverMade')
    if (times.length > attempt) fault('beyondAttempts')
  }
  return seen
}

/** The same, counted. */
export async function compareCalls(sql: Sql, arrivals: Arrival[]): Promise<Calls> {
  const { calls, retried, faults } = await findCallFaults(sql, arrivals)
  const count = (kind: FaultKind) => faults.filter((one) => one.kind === kind).length
  return {
    calls,
    retried,
    finishedRepeated: count('finishedRepeated'),
    askRepeated: count('askRepeated'),
    neverMade: count('neverMade'),
    beyondAttempts: count('beyondAttempts'),
  }
}

export const areTrue = ({ finishedRepeated, askRepeated, neverMade, beyondAttempts }: Calls): boolean =>
  finishedRepeated + askRepeated + neverMade + beyondAttempts === 0
