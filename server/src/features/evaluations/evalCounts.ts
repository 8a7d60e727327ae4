// Counts of evaluations by the hour in which their runs ended: every evaluation appends its differences, a job folds them, and their sum is exact at any moment.
import { part, type Part, type Sql } from '../../base/db.ts'

/** What one evaluation, a row `e` with `failed` and `is_judged`, adds to the counts of its hour: rows (flag, evaluated, with_issues). */
export const countsOfOne: Part = part`(
  select 'all' as flag, 1 as evaluated, (cardinality(e.failed) > 0)::int as with_issues
  union all
  select 'custom', 1, exists (select from unnest(e.failed) as u (flag) where starts_with(u.flag, 'custom__'))::int where e.is_judged
  union all
  select u.flag, 0, 1 from unnest(e.failed) as u (flag))`

/** `change` names rows of evaluations with `n`: 1 for one that counts from now on, -1 for one that no longer does. */
export const appendCounts = (change: Part): Part => part`
  insert into eval_counts (team_id, agent_id, build_id, hour, flag, evaluated, with_issues)
  select e.team_id, e.agent_id, e.build_id, run_hour(e.run_ended_at), f.flag, sum(e.n * f.evaluated), sum(e.n * f.with_issues)
  from ${change} e, lateral ${countsOfOne} f
  group by 1, 2, 3, 4, 5 having sum(e.n * f.evaluated) <> 0 or sum(e.n * f.with_issues) <> 0`

const rowsAtOnce = 10_000

/** Rows are only ever added and taken away, so several may fold at once; a reader sees the pieces or their sum. */
async function foldSome(sql: Sql): Promise<number> {
  const [folded] = await sql<{ pieces: number }>`
    with taken as (
      delete from eval_counts where ctid = any(array(
        select c.ctid from eval_counts c
        where (agent_id, build_id, hour, flag) in (
          select agent_id, build_id, hour, flag from eval_counts group by agent_id, build_id, hour, flag having count(*) > 1)
        limit ${rowsAtOnce} for update of c skip locked))
      returning *
    ),
    kept as (
      insert into eval_counts (team_id, agent_id, build_id, hour, flag, evaluated, with_issues)
      select team_id, agent_id, build_id, hour, flag, sum(evaluated), sum(with_issues) from taken group by 1, 2, 3, 4, 5
      having sum(evaluated) <> 0 or sum(with_issues) <> 0
    )
    select count(*) as pieces from taken`
  return folded!.pieces
}

/** Until no count is left in pieces that nobody else is folding. */
export async function foldCounts(sql: Sql, signal?: AbortSignal): Promise<void> {
  while ((await foldSome(sql)) === rowsAtOnce) signal?.throwIfAborted()
}
