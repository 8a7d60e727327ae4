-- owner: engine/. Changes of runs that say the same are added up before they are counted by source: most runs of an agent make the same ones.
create or replace function run_deltas_folded() returns trigger language plpgsql as $$
declare
  emptied tid[];
begin
  with delta as materialized (
    select team_id, source, agent_id, hour, was, became, sum(runs) as runs, sum(was_cost) as was_cost, sum(became_cost) as became_cost
    from folded where source <> 'artifact' group by 1, 2, 3, 4, 5, 6
  ),
  change as (
    select team_id, source, agent_id, hour, became as counted_as, runs, became_cost as cost from delta where became is not null
    union all
    select team_id, source, agent_id, hour, was, -runs, -was_cost from delta where was is not null
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
end $$;
