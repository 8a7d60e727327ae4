// Totals of ended runs with frequent words: counted once, then only what has ended since. The total is exact, whoever writes at the same time.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { allAgents, type CountedAs } from './runCounts.ts'

interface EndedSearch {
  teamId: string
  /** Its name among the searches of the team. */
  name: string
  /** Only statuses of ended runs. */
  statuses: readonly CountedAs[]
  /** A condition on `runs r`. It may use only what never changes of a run. */
  fits: Part
}

/*
 * What is remembered is a set: the runs with these statuses that ended before a moment which no transaction can write any more. A run can
 * leave it, because it continues or is deleted. None can enter: a run that ends does so later. So while the set has as many runs as
 * it had, it has the same runs, and as many of them fit. How many it has follows from counts: all runs with these statuses, without those that
 * ended since.
 */

interface Known {
  total: number
  /** How many runs with these statuses have ended since. */
  since: number
}

/** How many runs that have ended since are counted at each search before the total is written again. */
const sinceMax = 1000

/** Undefined: not counted yet, or a run has left what was counted. */
export async function knownEndedTotal(sql: Sql, search: EndedSearch): Promise<number | undefined> {
  const [known] = await sql<Known>`
    select k.total + n.fitting as total, n.since from run_ended_totals k, lateral (${endedSince(search)}) n
    where ${isSame(search)}`
  if (known && known.since > sinceMax) await countOn(sql, search)
  return known?.total
}

/** What has ended since a remembered moment. */
const endedSince = ({ teamId, statuses, fits }: EndedSearch, before: Part = part`true`): Part => part`
  select count(*) as since, count(*) filter (where ${before}) as settled, count(*) filter (where ${fits}) as fitting,
    count(*) filter (where ${before} and ${fits}) as settled_fitting
  from runs r where r.team_id = ${teamId} and r.completed_at >= k.ended_before
    and case when r.counted_as = any(${statuses}::text[]) and r.source <> 'artifact' then true else false end`

/** The remembered total is of the set as it is now. */
const isSame = ({ teamId, name, statuses }: EndedSearch): Part => part`
  k.team_id = ${teamId} and k.search = ${name} and k.runs = ${runsWith(teamId, statuses)} - n.since`

/** How many runs of the team have these statuses. */
const runsWith = (teamId: string, statuses: readonly CountedAs[]): Part => part`(
  coalesce((select sum(runs) from run_counts where team_id = ${teamId} and agent_id = ${allAgents} and unit = 'all'
    and counted_as = any(${statuses}::text[])), 0)
  + coalesce((select sum(case when became = any(${statuses}::text[]) then runs else 0 end
      - case when was = any(${statuses}::text[]) then runs else 0 end)
    from run_count_deltas where team_id = ${teamId} and source <> 'artifact'), 0))`

/**
 * A moment before which no run can end any more: runs end at the beginning of a transaction, rounded to a millisecond. Whoever asks counts in
 * another statement after this one, which sees what all older transactions have written.
 */
async function settledMoment(sql: Sql): Promise<Date> {
  const { at } = await one(sql<{ at: Date }>`
    select least(now(), min(xact_start)) - interval '2 ms' as at from pg_stat_activity where datname = current_database()`)
  return at
}

/** Counts all that fit and remembers it. */
export async function countEnded(sql: Sql, search: EndedSearch): Promise<number> {
  const { teamId, name, statuses, fits } = search
  const moment = await settledMoment(sql)
  const counted = await one(sql<{ total: number }>`
    with counted as materialized (
      select count(*) as runs, count(*) filter (where ${fits}) as total from runs r
      where r.team_id = ${teamId} and r.counted_as = any(${statuses}::text[]) and r.source <> 'artifact'
    ),
    remembered as (
      insert into run_ended_totals (team_id, search, total, runs, ended_before)
      select ${teamId}, ${name}, counted.total - n.fitting, counted.runs - n.since, k.ended_before
      from counted, (select ${moment}::timestamptz as ended_before) k, lateral (${endedSince(search)}) n
      on conflict (team_id, search) do update
        set total = excluded.total, runs = excluded.runs, ended_before = excluded.ended_before, counted_at = now()
    )
    select total from counted`)
  return counted.total
}

/** Adds what has ended since to a known total; guarded, so that two who do it at once count it once. */
async function countOn(sql: Sql, search: EndedSearch): Promise<void> {
  const moment = await settledMoment(sql)
  await sql`
    update run_ended_totals u set total = u.total + n.settled_fitting, runs = u.runs + n.settled, ended_before = ${moment}, counted_at = now()
    from run_ended_totals k, lateral (${endedSince(search, part`r.completed_at < ${moment}::timestamptz`)}) n
    where ${isSame(search)} and u.team_id = k.team_id and u.search = k.search and u.ended_before = k.ended_before and u.ended_before < ${moment}`
}

export async function forgetOldEndedTotals(sql: Sql): Promise<void> {
  await sql`delete from run_ended_totals where counted_at < now() - interval '1 day'`
}
