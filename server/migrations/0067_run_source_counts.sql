-- owner: engine/. Outside transactions: runs by source and time, added up from the same changes as the other counts.

-- For each source what run_counts has for all of them together: a row for each hour and each day, for each agent and for all (the nil id).
create table if not exists run_source_counts (
  team_id uuid not null,
  source text not null,
  agent_id uuid not null,
  unit text not null check (unit in ('day', 'hour')),
  at int not null,
  counted_as text not null,
  runs bigint not null,
  cost_usd numeric(30, 10) not null,
  primary key (team_id, source, agent_id, unit, at, counted_as)
) with (fillfactor = 70)

-- A trigger, because processes of the older version fold as well until they have stopped.
create or replace function run_deltas_folded() returns trigger language plpgsql as $$
declare
  emptied tid[];
begin
  with change as (
    select team_id, source, agent_id, hour, became as counted_as, runs, became_cost as cost from folded
    where became is not null and source <> 'artifact'
    union all
    select team_id, source, agent_id, hour, was, -runs, -was_cost from folded where was is not null and source <> 'artifact'
  ),
  counted as (
    insert into run_source_counts as c (team_id, source, agent_id, unit, at, counted_as, runs, cost_usd)
    select team_id, source, a.agent_id, t.unit, t.at, counted_as, sum(runs), sum(cost)
    from change, lateral (values (change.agent_id), ('00000000-0000-0000-0000-000000000000'::uuid)) as a (agent_id),
      lateral (values ('day', floor(hour / 24.0)::int), ('hour', hour)) as t (unit, at)
    group by 1, 2, 3, 4, 5, 6 having sum(runs) <> 0 or sum(cost) <> 0 order by 1, 2, 3, 4, 5, 6
    on conflict (team_id, source, agent_id, unit, at, counted_as) do update
      set runs = c.runs + excluded.runs, cost_usd = c.cost_usd + excluded.cost_usd
    returning ctid, runs, cost_usd
  )
  select array_agg(ctid) into emptied from counted where runs = 0 and cost_usd = 0;
  -- rows that this transaction has just written stay where they are until it ends
  delete from run_source_counts where ctid = any(emptied) and runs = 0 and cost_usd = 0;
  return null;
end $$

create or replace trigger run_deltas_folded after delete on run_count_deltas
  referencing old table as folded for each statement execute function run_deltas_folded()

-- What was folded before the trigger was there: the runs as they are, without the changes that are still to be folded and without what is
-- counted already. One snapshot has all three, and what others fold meanwhile is added to the same rows; so it is exact, and can be repeated.
insert into run_source_counts as c (team_id, source, agent_id, unit, at, counted_as, runs, cost_usd)
select team_id, source, agent_id, unit, at, counted_as, sum(runs), sum(cost)
from (
  select team_id, source, a.agent_id, t.unit, t.at, counted_as, runs, cost
  from (
    select team_id, source, agent_id, run_hour(created_at) as hour, counted_as, count(*) as runs,
      coalesce(sum(cost_usd) filter (where completed_at is not null), 0) as cost
    from runs where source <> 'artifact' group by 1, 2, 3, 4, 5
    union all
    select team_id, source, agent_id, hour, became, -runs, -became_cost from run_count_deltas
    where became is not null and source <> 'artifact'
    union all
    select team_id, source, agent_id, hour, was, runs, was_cost from run_count_deltas where was is not null and source <> 'artifact'
  ) folded, lateral (values (folded.agent_id), ('00000000-0000-0000-0000-000000000000'::uuid)) as a (agent_id),
    lateral (values ('day', floor(hour / 24.0)::int), ('hour', hour)) as t (unit, at)
  union all
  select team_id, source, agent_id, unit, at, counted_as, -runs, -cost_usd from run_source_counts
) missing
group by 1, 2, 3, 4, 5, 6 having sum(runs) <> 0 or sum(cost) <> 0 order by 1, 2, 3, 4, 5, 6
on conflict (team_id, source, agent_id, unit, at, counted_as) do update
  set runs = c.runs + excluded.runs, cost_usd = c.cost_usd + excluded.cost_usd
