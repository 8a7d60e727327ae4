// What teams use: entries are written with the work itself, a job folds them into a row a day, and both together give the exact sum at any moment.
import { type Database, one, part, type Part, type Sql } from '../../base/db.ts'
import { countsOf } from '../../base/foldCounts.ts'

/** Everything that is added up; the columns of usage_days. */
const counts = part`runs, completed, failed, stopped, active_ms, calls, input_tokens, output_tokens, cost_usd, unsettled_calls,
  unsettled_usd, deliveries, sandbox_bytes`

/**
 * SQL over rows that count runs: new runs by the day of their creation, how they ended, and how long they were active by the day on which
 * that was written. A run that is erased stays counted. A run that was started again after its end is counted by how it ended last.
 */
export const usageOfDeltas = (deltas: Part): Part => part`
  select team_id, date '1970-01-01' + floor(hour / 24.0)::int as day, agent_id, null::text as model, null::text as purpose,
    case when was is null then runs else 0 end as runs, ${endedAs('completed')} as completed, ${endedAs('failed')} as failed,
    ${endedAs('stopped')} as stopped, 0::bigint as active_ms, ${nothingElse}
  from ${deltas} where became is not null
  union all
  select team_id, active_day, agent_id, null, null, 0, 0, 0, 0, active_ms, ${nothingElse} from ${deltas} where active_ms <> 0`

const endedAs = (status: string): Part =>
  part`runs * ((became = ${status}::text)::int - (coalesce(was, '') = ${status}::text)::int)`

const nothingElse = part`0 as calls, 0::bigint as input_tokens, 0::bigint as output_tokens, 0::numeric as cost_usd, 0 as unsettled_calls,
  0::numeric as unsettled_usd, 0 as deliveries, 0::bigint as sandbox_bytes`

const usageOfEntries = (entries: Part): Part => part`
  select team_id, day, agent_id, model, purpose, 0 as runs, 0 as completed, 0 as failed, 0 as stopped, 0::bigint as active_ms, calls,
    input_tokens, output_tokens, cost_usd, unsettled_calls, unsettled_usd, deliveries, sandbox_bytes
  from ${entries}`

/** Adds in the order of the key: several may add to the same days at once. */
export const addToDays = (used: Part): Part => part`
  insert into usage_days as d (team_id, day, agent_id, model, purpose, ${counts})
  select team_id, day, agent_id, model, purpose, sum(runs), sum(completed), sum(failed), sum(stopped), sum(active_ms), sum(calls),
    sum(input_tokens), sum(output_tokens), sum(cost_usd), sum(unsettled_calls), sum(unsettled_usd), sum(deliveries), sum(sandbox_bytes)
  from (${used}) used
  where (${counts}) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (team_id, day, agent_id, model, purpose) do update set
    runs = d.runs + excluded.runs, completed = d.completed + excluded.completed, failed = d.failed + excluded.failed,
    stopped = d.stopped + excluded.stopped, active_ms = d.active_ms + excluded.active_ms, calls = d.calls + excluded.calls,
    input_tokens = d.input_tokens + excluded.input_tokens, output_tokens = d.output_tokens + excluded.output_tokens,
    cost_usd = d.cost_usd + excluded.cost_usd, unsettled_calls = d.unsettled_calls + excluded.unsettled_calls,
    unsettled_usd = d.unsettled_usd + excluded.unsettled_usd, deliveries = d.deliveries + excluded.deliveries,
    sandbox_bytes = d.sandbox_bytes + excluded.sandbox_bytes`

const entriesAtOnce = 10_000

/** Folds until no entry is left that nobody else is folding. Runs and active time are folded with the counts of runs (runCounts.ts). */
export async function foldUsage(db: Database, signal?: AbortSignal): Promise<void> {
  for (let folded = entriesAtOnce; folded === entriesAtOnce;) {
    signal?.throwIfAborted()
    // one statement, so that no reader ever sees an entry twice or not at all
    const taken = await one(db.sql<{ entries: number }>`
      with taken as (
        delete from usage_entries
        where ctid = any(array(select ctid from usage_entries limit ${entriesAtOnce} for update skip locked))
        returning *
      ),
      used as (${addToDays(usageOfEntries(part`taken`))})
      select count(*) as entries from taken`)
    folded = taken.entries
  }
}

/** Whole days of UTC, as `YYYY-MM-DD`; `until` is the first day that is not included. */
export interface Days {
  since: string
  until: string
}

/** What a team used on these days, as rows with the columns of usage_days; `is_folded` says whether a row is a whole day. */
export const usageOf = (teamId: string, { since, until }: Days): Part => {
  const own = (table: Part): Part => part`(select * from ${table} where team_id = ${teamId}) own`
  const within = part`day >= ${since}::date and day < ${until}::date`
  return part`
    select day, agent_id, model, purpose, ${counts}, true as is_folded from usage_days where team_id = ${teamId} and ${within}
    union all
    select day, agent_id, model, purpose, ${counts}, false
    from (
      ${usageOfEntries(own(part`usage_entries`))}
      union all
      ${usageOfDeltas(own(part`run_count_deltas`))}
    ) tail where ${within}`
}

/** What the sandboxes of a team held when these days ended, or hold now. */
export const storedOf = (teamId: string, { until }: Days): Part => part`(
  coalesce((select sum(sandbox_bytes) from usage_days where team_id = ${teamId} and sandbox_bytes <> 0 and day < ${until}::date), 0)
  + coalesce((select sum(sandbox_bytes) from usage_entries where team_id = ${teamId} and day < ${until}::date), 0))::bigint`

/** The current month by the database's clock. */
export async function currentMonth(sql: Sql): Promise<Days> {
  const month = await one(sql<Days>`
    select to_char(first, 'YYYY-MM-DD') as since, to_char(first + interval '1 month', 'YYYY-MM-DD') as until
    from date_trunc('month', now() at time zone 'utc') as first`)
  return month
}

/** Deliveries that their receivers accepted, one row for each team; `from` gives rows with a team_id, and `count` says how many they are. */
export const noteDeliveries = (from: Part, count: Part = part`count(*)`): Part => part`
  insert into usage_entries (team_id, deliveries) select team_id, ${count} from ${from} group by team_id`

/** These pieces are folded together with the usage. */
export const storedPieces = countsOf(part`stored_bytes`, part`team_id`, part`bytes`)

interface ModelUse {
  team_id: string
  agent_id: string
  model: string
  purpose: 'builder' | 'judge' | 'replay'
  /** Undefined: nobody knows whether the call was answered and charged for, so it is reported as unsettled. */
  usage: { input_tokens: number; output_tokens: number } | undefined
  cost_usd: string
}

/** Counts a model call that no run made. */
export async function noteModelUse(sql: Sql, used: ModelUse): Promise<void> {
  const { team_id, agent_id, model, purpose, usage, cost_usd } = used
  await sql`
    select note_model_use(${team_id}::uuid, ${agent_id}::uuid, ${model}::text, ${usage?.input_tokens ?? 0}::bigint,
      ${usage?.output_tokens ?? 0}::bigint, ${cost_usd}::numeric, ${purpose}::text, ${usage === undefined}::boolean)`
}
