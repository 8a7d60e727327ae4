// How much a team uses of what can be limited, as parts of a statement: exact at the moment at which that statement begins.
import { part, type Part, type Sql } from '../../base/db.ts'
import { usageOf, type Days } from './usage.ts'

/** Runs created in the month, including those that were erased since then. */
export const runsOfMonth = (teamId: string, month: Days): Part => part`(
  select coalesce(sum(runs), 0)::bigint from (${usageOf(teamId, month)}) used)`

/** What models cost on these days: what is folded, and what is not yet. Counts of runs, which `usageOf` also reads, cost nothing. */
const costOfDays = (teamId: string, { since, until }: Days, butReplays = false): Part => {
  const kind = butReplays ? part`purpose is distinct from 'replay'` : part`true`
  const cost = (table: Part): Part => part`(
    select coalesce(sum(cost_usd), 0) from ${table} where team_id = ${teamId} and day >= ${since}::date and day < ${until}::date and ${kind})`
  return part`(${cost(part`usage_days`)} + ${cost(part`usage_entries`)})`
}

/** The same without replays: they have a bound of their own, and trying out a build must not stop runs. */
export const liveCostOfDays = (teamId: string, days: Days): Part => costOfDays(teamId, days, true)

/** What models that live runs did not ask cost on each day of this time: those of builders and judges. */
export const costBesideRuns = (
  sql: Sql,
  teamId: string,
  { since, until }: { since: Date; until: Date },
): Promise<{ day: string; cost: string }[]> => {
  const within = part`team_id = ${teamId} and purpose in ('builder', 'judge')
    and day between (${since}::timestamptz at time zone 'utc')::date and (${until}::timestamptz at time zone 'utc')::date`
  return sql`
    select to_char(day, 'YYYY-MM-DD') as day, sum(cost_usd)::text as cost
    from (select day, cost_usd from usage_days where ${within} union all select day, cost_usd from usage_entries where ${within}) used
    group by 1`
}

/** What models cost in the month, and what is held back for calls that are under way. */
export const costOfMonth = (teamId: string, month: Days): Part => part`(
  ${costOfDays(teamId, month)}
  + (select coalesce(sum(reserved_usd), 0) from runs where team_id = ${teamId} and counted_as = 'running'))`

/** Counts files of sandboxes with the earlier contents of changed ones; then all that counts by triggers, such as cases. */
export const bytesStored = (teamId: string): Part => part`bytes_stored(${teamId}::uuid)`

export const agentsOf = (teamId: string): Part => part`(
  select count(*) from agents where team_id = ${teamId} and deleted_at is null and not is_hidden)`

/** Runs that hold a slot; freed slots that are not counted yet are subtracted. */
export const slotsHeld = (teamId: string): Part => part`greatest(
  coalesce((select held from admission where team_id = ${teamId}), 0)
  - coalesce((select sum(places) from places_left where team_id = ${teamId}), 0), 0)::int`
