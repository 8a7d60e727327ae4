// Counts of evaluations by the hour in which their runs ended: every evaluation appends its differences, a job folds them, and their sum is exact at any moment.
import { part, type Part } from '../../base/db.ts'
import type { Counts } from '../../base/foldCounts.ts'

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

export const evalCounts: Counts = {
  table: part`eval_counts`,
  key: part`team_id, agent_id, build_id, hour, flag`,
  sums: part`evaluated, with_issues`,
  added: part`sum(evaluated), sum(with_issues)`,
  isSomething: part`sum(evaluated) <> 0 or sum(with_issues) <> 0`,
}
