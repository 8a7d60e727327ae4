// Counts of runs: the triggers on runs append deltas, a job folds them into rows, and both together give the exact number at any moment.
import { empty, one, part, type Database, type Part, type Sql } from '../../base/db.ts'
import { runStatuses } from '../../kit/states.ts'
import { addToDays, usageOfDeltas } from './usage.ts'

/** The states that lists count (runs.counted_as): runs that wait for a person are not counted as `waiting`. */
export const countedAs = [...runStatuses, 'needs_attention'] as const
export type CountedAs = (typeof countedAs)[number]

/** Stands for all agents of a team together. */
export const allAgents = '00000000-0000-0000-0000-000000000000'

const deltasAtOnce = 10_000

/** Folds until no delta is left, except those that others are folding. */
export async function foldRunCounts(db: Database, signal?: AbortSignal): Promise<void> {
  for (let folded = deltasAtOnce; folded === deltasAtOnce;) {
    signal?.throwIfAborted()
    folded = await db.transaction(foldSome)
  }
}

interface Folded {
  deltas: number
  /** Row addresses (ctid) of the rows that count nothing any more. */
  empty_counts: string[]
  empty_origins: string[]
}

/**
 * SQL: deltas that say the same are one row of `delta`. Most runs of an agent make the same changes, and every row is added to a dozen sums
 * (10,000 deltas of one agent took 430 ms without this, and take 50 ms).
 */
const sameOnce = (deltas: Part): Part => part`
    delta as materialized (
      select team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, became, became_issues, active_day,
        sum(runs) as runs, sum(active_ms)::bigint as active_ms, sum(was_cost) as was_cost, sum(became_cost) as became_cost
      from ${deltas} group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    )`

/** Folds in one statement, so that no reader ever sees a delta twice or not at all. Several may fold at once: each takes deltas of its own. */
async function foldSome(sql: Sql): Promise<number> {
  const folded = await one(sql<Folded>`
    with taken as (
      delete from run_count_deltas
      where ctid = any(array(select ctid from run_count_deltas limit ${deltasAtOnce} for update skip locked))
      returning *
    ),
    ${sameOnce(part`taken`)},
    listed as (select * from delta where source <> 'artifact'),
    change as (
      select team_id, agent_id, hour, source, user_id, case_queue_id, became as counted_as, became_issues as issues, runs, became_cost as cost
      from listed where became is not null
      union all
      select team_id, agent_id, hour, source, user_id, case_queue_id, was, was_issues, -runs, -was_cost from listed where was is not null
    ),
    counted as (
      insert into run_counts as c (team_id, agent_id, unit, at, counted_as, runs, cost_usd)
      select team_id, a.agent_id, t.unit, t.at, counted_as, sum(runs), sum(cost)
      from change, lateral (values (change.agent_id), (${allAgents}::uuid)) as a (agent_id),
        lateral (values ('all', 0), ('day', floor(hour / 24.0)::int), ('hour', hour)) as t (unit, at)
      group by 1, 2, 3, 4, 5 having sum(runs) <> 0 or sum(cost) <> 0 order by 1, 2, 3, 4, 5
      on conflict (team_id, agent_id, unit, at, counted_as) do update
        set runs = c.runs + excluded.runs, cost_usd = c.cost_usd + excluded.cost_usd
      returning ctid, runs, cost_usd
    ),
    by_origin as (
      insert into run_origin_counts as c (team_id, agent_id, counted_as, source, user_id, case_queue_id, issues, runs)
      select team_id, agent_id, counted_as, source, user_id, case_queue_id, issues, sum(runs) from change
      group by 1, 2, 3, 4, 5, 6, 7 having sum(runs) <> 0 order by 1, 2, 3, 4, 5, 6, 7
      on conflict (team_id, agent_id, counted_as, source, user_id, case_queue_id, issues) do update set runs = c.runs + excluded.runs
      returning ctid, runs
    ),
    used as (${addToDays(usageOfDeltas(part`delta`))})
    select (select count(*) from taken) as deltas,
      array(select ctid::text from counted where runs = 0 and cost_usd = 0) as empty_counts,
      array(select ctid::text from by_origin where runs = 0) as empty_origins`)
  const { deltas, empty_counts, empty_origins } = folded
  // rows that this transaction has just written stay where they are until it ends
  if (empty_counts.length > 0) {
    await sql`delete from run_counts where ctid = any(${empty_counts}::tid[]) and runs = 0 and cost_usd = 0`
  }
  if (empty_origins.length > 0) {
    await sql`delete from run_origin_counts where ctid = any(${empty_origins}::tid[]) and runs = 0`
  }
  return deltas
}

/** SQL over `agents`: how many runs the agent has. */
export const runsOfAgent = part`(
  coalesce((
    select sum(c.runs) from run_counts c
    where c.team_id = agents.team_id and c.agent_id = agents.id and c.unit = 'all'), 0)
  + coalesce((
    select sum(case when d.was is null then d.runs when d.became is null then -d.runs else 0 end) from run_count_deltas d
    where d.team_id = agents.team_id and d.agent_id = agents.id), 0))::bigint`

/** SQL over `agents`: when its newest run was created. The index gives the newest run of each status at once. */
export const newestRunOfAgent = part`(
  select max(newest.created_at) from unnest(${countedAs}::text[]) as s (counted_as), lateral (
    select r.created_at from runs r
    where r.team_id = agents.team_id and r.agent_id = agents.id and r.counted_as = s.counted_as
    order by r.created_at desc limit 1) newest)`

/** Null: of every agent, of every source. */
interface CountedOf {
  teamId: string
  agentId?: string | null | undefined
  source: string | null
}

/** SQL after `from`: the rows that count these runs by the hour or by the day (`at`), up to the last fold. */
export const countsIn = ({ teamId, agentId, source }: CountedOf, unit: 'day' | 'hour'): Part => {
  const table = source === null ? part`run_counts where` : part`run_source_counts where source = ${source} and`
  return part`${table} team_id = ${teamId} and agent_id = ${agentId ?? allAgents} and unit = ${unit}`
}

/** SQL: changes that the counts do not contain yet; both together are exact. Runs of artifacts are in neither. */
export const unfoldedCounts = ({ teamId, agentId, source }: CountedOf): Part => {
  const own = part`team_id = ${teamId} and source <> 'artifact' ${agentId ? part`and agent_id = ${agentId}` : empty}
    ${source === null ? empty : part`and source = ${source}`}`
  return part`
    select agent_id, hour, became as counted_as, runs, became_cost as cost_usd from run_count_deltas where ${own} and became is not null
    union all
    select agent_id, hour, was, -runs, -was_cost from run_count_deltas where ${own} and was is not null`
}
