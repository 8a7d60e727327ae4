// What evaluations read of ended runs: facts and entries without their long texts, of many runs at once and up to a limit for each.
import { part, type Sql } from '../../base/db.ts'
import { wholeText } from '../../engine/ledger/largeTexts.ts'
import type { Rubric } from './rubric.ts'
import { maySecret } from './secretText.ts'
import { endedList } from '../../engine/ledger/lifecycle.ts'
import type { endedStatuses } from '../../kit/states.ts'

/** One message of a run, as the checks need it. */
export interface RunLogEntry {
  id: string
  turn: number
  /** The id and the tool of a call, and a hash of its arguments. */
  call_id: string | null
  tool: string | null
  fingerprint: string | null
  /** The call that a result belongs to. */
  result_of: string | null
  is_error: boolean
  /** The text, only where it may hold a secret and was not written by whoever started the run. */
  suspicious: string | null
}

export interface EndedRun {
  id: string
  team_id: string
  agent_id: string
  build_id: string
  status: (typeof endedStatuses)[number]
  error: { code: string; message: string } | null
  ended_at: Date
  messages: number
  has_begun: boolean
  is_erased: boolean
  case_id: string | null
  /** What the run did with its case. */
  case_moves: string[]
  suspicious_output: string | null
  /** The active rubrics of its build; none for a deleted agent, whose scores nobody reads any more. */
  rubrics: Pick<Rubric, 'id' | 'slug' | 'title' | 'description' | 'severity'>[]
}

export type RunLog = EndedRun & { entries: RunLogEntry[] }

/** What the checks read of a run. */
export type CheckedLog = Pick<
  RunLog,
  'status' | 'error' | 'messages' | 'case_id' | 'case_moves' | 'suspicious_output' | 'entries'
>

/** How many entries are read. Of a longer run these are the last ones, and the result says so. */
export const entriesMax = 5000
/** How many characters are read of a text that may hold a secret. */
const suspiciousMax = 200_000

/** The runs that have ended, as they are now. */
export const readEnded = (sql: Sql, ids: string[]): Promise<EndedRun[]> => sql<EndedRun>`
  select r.id, r.team_id, r.agent_id, r.build_id, r.status, r.error, r.completed_at as ended_at, r.message_seq as messages,
    r.started_at is not null as has_begun, r.log_erased_at is not null as is_erased, r.case_id,
    case when r.case_id is null then '{}' else array(
      select distinct e.type from case_events e where e.case_id = r.case_id and e.run_id = r.id) end as case_moves,
    case when r.output::text ~ ${maySecret} then left(r.output::text, ${suspiciousMax}) end as suspicious_output,
    coalesce((
      select json_agg(json_build_object('id', q.id, 'slug', q.slug, 'title', q.title, 'description', q.description, 'severity', q.severity)
        order by q.sort_order, q.id)
      from eval_rubrics q where q.build_id = r.build_id and q.team_id = r.team_id and q.deleted_at is null
        and exists (select from agents a where a.id = r.agent_id and a.deleted_at is null)), '[]') as rubrics
  from runs r where r.id = any(${ids}::uuid[]) and r.status in ${endedList}`

/** The entries of each run, in their order. */
export async function readEntries(sql: Sql, ids: string[]): Promise<Map<string, RunLogEntry[]>> {
  const rows = await sql<RunLogEntry & { run_id: string }>`
    select w.run_id, m.id, m.turn, m.tool_call ->> 'id' as call_id, m.tool_call ->> 'name' as tool,
      md5((m.tool_call -> 'arguments')::text) as fingerprint, m.tool_result ->> 'tool_call_id' as result_of,
      coalesce(m.tool_result ->> 'error' is not null, false) as is_error,
      case when m.role in ('assistant', 'tool') and said.text ~ ${maySecret} then left(said.text, ${suspiciousMax}) end as suspicious
    from unnest(${ids}::uuid[]) as w (run_id), lateral (
      select * from run_messages where run_id = w.run_id order by seq desc limit ${entriesMax}) m,
      lateral (select concat_ws(' ', ${wholeText(part`m`)}, m.tool_call::text, m.tool_result::text) as text) said
    order by w.run_id, m.seq`
  const found = new Map<string, RunLogEntry[]>(ids.map((id) => [id, []]))
  for (const { run_id, ...entry } of rows) found.get(run_id)!.push(entry)
  return found
}
