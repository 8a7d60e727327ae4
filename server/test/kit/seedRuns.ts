// Many runs at once, as a team has them after some months: every status, source and finding, spread evenly and the same each time.
import { part, type Part, type Sql } from '../../src/base/db.ts'
import { newId } from '../../src/base/ids.ts'

export interface RunsWanted {
  teamId: string
  agents: { id: string; buildId: string }[]
  users: string[]
  queues: string[]
  runs: number
  /** They were made in the days before this. */
  until?: Date
  days?: number
}

const batch = 20_000

/**
 * Run number `n` is the same in every call, but for the ids it is given. Of ten runs eight are completed and one has failed; every one
 * speaks of an `order`, every second of an `invoice`, about 50 share each word `customer…`, and one alone has the word `ticket<n>`.
 */
export async function seedRuns(sql: Sql, wanted: RunsWanted, tell?: (made: number) => void): Promise<void> {
  for (let from = 1; from <= wanted.runs; from += batch) {
    const to = Math.min(from + batch - 1, wanted.runs)
    await insertRuns(sql, wanted, from, to)
    tell?.(to)
  }
}

/** A number below `below` that hangs on `n` and on which throw of the dice this is. */
const dice = (which: number, below: number): Part => part`(hashint8extended(n, ${which}) & 2147483647) % ${below}::int`

async function insertRuns(sql: Sql, wanted: RunsWanted, from: number, to: number): Promise<void> {
  const { teamId, agents, users, queues, runs } = wanted
  const until = wanted.until ?? new Date()
  const spanS = (wanted.days ?? 90) * 86_400
  await sql`
    with thrown as (
      select n, ${until}::timestamptz - make_interval(secs => (${runs} - n + 0.5) * ${spanS} / ${runs}) as created_at,
        ${dice(1, 100)} as state, 1 + ${dice(2, agents.length)} as agent, ${dice(3, 10)} as origin,
        1 + ${dice(4, users.length)} as member, 1 + ${dice(5, queues.length)} as queue, ${dice(6, 100)} as found,
        ${dice(7, Math.max(1, Math.floor(runs / 50)))} as customer, ${dice(8, 3600)} as took, ${dice(9, 10)} as payload
      from generate_series(${from}::bigint, ${to}::bigint) as n
    ),
    described as (
      select *, case when state < 80 then 'completed' when state < 90 then 'failed' when state < 93 then 'stopped' when state < 95 then 'pending'
          when state < 97 then 'running' else 'waiting' end as status,
        case when origin < 5 then 'api' when origin < 7 then 'schedule' when origin < 9 then 'case_trigger' else 'console' end as source,
        case when n % 2 = 0 then 'Invoice' else 'Receipt' end || ' of ticket' || n as title
      from thrown
    )
    insert into runs (id, team_id, agent_id, build_id, run_number, source, user_id, case_id, case_queue_id, case_title, title, message,
      limits, status, waiting_on, error, output, eval_summary, created_at, started_at, completed_at, updated_at, message_seq, steps)
    select (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || ${teamId}), 1, 3) || '8'
        || substr(md5(n::text || ${teamId}), 4, 15))::uuid,
      ${teamId}, (${agents.map(({ id }) => id)}::uuid[])[agent], (${agents.map(({ buildId }) => buildId)}::uuid[])[agent],
      nextval('run_numbers'), source, case when origin in (5, 6) then null else (${users}::uuid[])[member] end,
      case when source = 'case_trigger' then gen_random_uuid() end,
      case when source = 'case_trigger' then (${queues}::uuid[])[queue] end,
      case when source = 'case_trigger' then 'Case about ticket' || n end,
      title,
      case when payload = 0 then jsonb_build_object('subject', title, 'note', E'customer' || customer || E'\nwants the order "now"')
        else to_jsonb('Please look into the order of customer' || customer || ', it came by mail; see ' || title) end,
      '{"max_steps": 200, "max_duration_s": 3600, "max_cost_usd": null, "max_tokens": null}', status,
      case when status = 'waiting' then jsonb_build_object('kind', case when state < 99 then 'human' else 'time' end,
        'since', created_at, 'detail', '{}'::jsonb) end,
      case when status = 'failed' then '{"code": "limit_reached", "message": "It took too long.", "step": null}'::jsonb end,
      case when status = 'completed' then to_jsonb('Done.'::text) end,
      case when status in ('completed', 'failed') and found < 40 then jsonb_build_object('passed', 6 - (found < 12)::int, 'total', 6,
        'severity_counts', jsonb_build_object('critical', (found < 2)::int, 'medium', (found < 8)::int, 'low', (found between 6 and 11)::int)) end,
      created_at, case when status <> 'pending' then created_at end,
      case when status in ('completed', 'failed', 'stopped') then created_at + make_interval(secs => took) end, created_at, 1, 1
    from described order by n`
}

export interface RunRow {
  team_id: string
  agent_id: string
  build_id: string
  status: string
  source?: string
  user_id?: string
  parent_run_id?: string
  title?: string
  message?: unknown
  callback_url?: string
  output?: unknown
  error?: object
  waiting_on?: object
  created_at?: Date
  started_at?: Date
  completed_at?: Date
  worker?: string
  admitted_at?: Date
  queued_at?: Date
  is_woken?: boolean
  due_at?: Date
  running_since?: Date
  active_ms?: number
  message_seq?: number
  steps?: number
  input_tokens?: number
  output_tokens?: number
  cost_usd?: string
}

const ofEveryRun = {
  source: 'api',
  title: 'A run',
  metadata: {},
  limits: { max_steps: 200, max_duration_s: 3600, max_cost_usd: null, max_tokens: null },
  is_woken: false,
  active_ms: 0,
  message_seq: 0,
  steps: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: '0',
}

/** One run in exactly this state, whatever the engine would say to it. */
export async function insertRun(sql: Sql, row: RunRow): Promise<string> {
  const id = newId()
  const created_at = row.created_at ?? new Date()
  await sql`
    insert into runs (id, run_number, team_id, agent_id, build_id, status, source, user_id, parent_run_id, title, message, metadata, limits,
      callback_url, output, error, waiting_on, created_at, started_at, completed_at, updated_at, worker, admitted_at, queued_at, is_woken,
      due_at, running_since, active_ms, message_seq, steps, input_tokens, output_tokens, cost_usd)
    select ${id}, nextval('run_numbers'), team_id, agent_id, build_id, status, source, user_id, parent_run_id, title, message, metadata, limits,
      callback_url, output, error, waiting_on, created_at, started_at, completed_at, created_at, worker, admitted_at, queued_at, is_woken,
      due_at, running_since, active_ms, message_seq, steps, input_tokens, output_tokens, cost_usd
    from jsonb_populate_record(null::runs, ${JSON.stringify({ ...ofEveryRun, ...row, created_at })}::jsonb)`
  return id
}

export interface StepRow {
  run_id: string
  seq: number
  kind: 'model' | 'tool' | 'human' | 'wait' | 'sub_run'
  state: string
  tool?: string
  arguments?: unknown
  result?: unknown
  error?: string
  attempt?: number
  input_tokens?: number
  output_tokens?: number
  started_at?: Date
  completed_at?: Date
}

export async function insertStep(sql: Sql, row: StepRow): Promise<void> {
  const whole = { turn: 1, attempt: 1, reserved_usd: '0', started_at: new Date(), ...row }
  await sql`
    insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, attempt, result, error, input_tokens, output_tokens, reserved_usd,
      started_at, completed_at)
    select run_id, seq, turn, kind, tool, arguments, state, attempt, result, error, input_tokens, output_tokens, reserved_usd, started_at,
      completed_at
    from jsonb_populate_record(null::run_steps, ${JSON.stringify(whole)}::jsonb)`
}
